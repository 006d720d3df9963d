/** The schema of the filters of the sales history. */

import type { TransactionFilters } from '../../model/settlements.js';
import { recordSchema } from '../record-schema.js';
import { optional } from '../lazy-schema.js';
import { instant, rangeViolation } from '../values/dates.js';
import { pageLimit } from '../values/numbers.js';
import { text } from '../values/text.js';

/** GET /transactions */
export const transactionFilters = recordSchema<TransactionFilters>(
  {
    from: optional(instant),
    to: optional(instant),
    status: optional(text),
    payment_model: optional(text),
    cursor: optional(text),
    limit: optional(pageLimit),
  },
  rangeViolation,
);
