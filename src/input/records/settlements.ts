/** Checks of the filters of the sales history. */

import type { TransactionFilters } from '../../model/settlements.js';
import { documented } from '../documented.js';
import { optional } from '../rule.js';
import { moment, spanFault } from '../values/dates.js';
import { pageLimit } from '../values/numbers.js';
import { text } from '../values/text.js';

/** GET /transactions */
export const transactionFilters = documented<TransactionFilters>(
  {
    from: optional(moment),
    to: optional(moment),
    status: optional(text),
    payment_model: optional(text),
    cursor: optional(text),
    limit: optional(pageLimit),
  },
  spanFault,
);
