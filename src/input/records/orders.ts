/** Checks of what sells a domain: quotes, orders and their filters, refunds. */

import type { Buyer, OrderFilters, OrderInput, RefundInput } from '../../model/orders.js';
import type { QuoteInput } from '../../model/quotes.js';
import { documented } from '../documented.js';
import { domainName } from '../domain-name.js';
import { optional } from '../rule.js';
import { email, httpUrl } from '../values/addresses.js';
import { country, currency } from '../values/codes.js';
import { moment, spanFault } from '../values/dates.js';
import { pathId } from '../values/identifiers.js';
import { money, pageLimit } from '../values/numbers.js';
import { text } from '../values/text.js';

/** Who buys. The specification shows no field as required. */
export const buyer = documented<Buyer>({
  email: optional(email),
  name: optional(text),
  country: optional(country),
});

/** POST /quotes */
export const quoteInput = documented<QuoteInput>({
  domain: domainName,
  currency: optional(currency),
  expected_price: optional(money),
});

/** POST /orders */
export const orderInput = documented<OrderInput>({
  domain: domainName,
  expected_price: optional(money),
  currency: optional(currency),
  buyer: optional(buyer),
  return_url: optional(httpUrl),
  cancel_url: optional(httpUrl),
  quote_id: optional(text),
  external_payment_ref: optional(text),
});

/** GET /orders */
export const orderFilters = documented<OrderFilters>(
  {
    status: optional(text),
    domain: optional(domainName),
    from: optional(moment),
    to: optional(moment),
    cursor: optional(text),
    limit: optional(pageLimit),
  },
  spanFault,
);

/** POST /refunds. The field that names the order is assumed, so any field but the reason may name it. */
export const refundInput = documented<RefundInput>(
  { public_id: optional(pathId), reason: optional(text) },
  (refund) =>
    Object.entries(refund).some(([field, value]) => field !== 'reason' && value !== undefined)
      ? undefined
      : { message: 'names no order: give its "public_id"' },
);
