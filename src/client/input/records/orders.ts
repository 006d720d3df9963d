/** Schemas of quotes, orders, order filters and refunds. */

import type { Buyer, OrderFilters, OrderInput, RefundInput } from '../../model/orders.js';
import type { QuoteInput } from '../../model/quotes.js';
import { recordSchema } from '../record-schema.js';
import { domainName } from '../domain-name.js';
import { optional } from '../lazy-schema.js';
import { email, httpUrl } from '../values/addresses.js';
import { country, currency } from '../values/codes.js';
import { instant, rangeViolation } from '../values/dates.js';
import { pathId } from '../values/identifiers.js';
import { money, pageLimit } from '../values/numbers.js';
import { text } from '../values/text.js';

/** Who buys. The specification shows no field as required. */
export const buyer = recordSchema<Buyer>({
  email: optional(email),
  name: optional(text),
  country: optional(country),
});

/** POST /quotes */
export const quoteInput = recordSchema<QuoteInput>({
  domain: domainName,
  currency: optional(currency),
  expected_price: optional(money),
});

/** POST /orders. Without a price, an order would be placed at any price: the check is required here. */
export const orderInput = recordSchema<OrderInput>({
  domain: domainName,
  expected_price: money,
  currency: optional(currency),
  buyer: optional(buyer),
  return_url: optional(httpUrl),
  cancel_url: optional(httpUrl),
  quote_id: optional(text),
  external_payment_ref: optional(text),
});

/** GET /orders */
export const orderFilters = recordSchema<OrderFilters>(
  {
    status: optional(text),
    domain: optional(domainName),
    from: optional(instant),
    to: optional(instant),
    cursor: optional(text),
    limit: optional(pageLimit),
  },
  rangeViolation,
);

/** POST /refunds. The field that names the order is assumed, so any field but the reason may name it. */
export const refundInput = recordSchema<RefundInput>(
  { public_id: optional(pathId), reason: optional(text) },
  (refund) =>
    Object.entries(refund).some(([field, value]) => field !== 'reason' && value !== undefined)
      ? undefined
      : { message: 'must identify an order: pass "public_id"' },
);
