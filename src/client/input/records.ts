/** Schemas of the records that calls send: bodies, filters and ranges. */

import { optional } from '../../core/schema/must.js';
import { record } from '../../core/schema/records.js';
import type { BrokerageCaseInput } from '../model/brokerage.js';
import type { CheckoutInput } from '../model/checkout.js';
import type { Buyer, OrderFilters, OrderInput, RefundInput } from '../model/orders.js';
import type { QuoteInput } from '../model/quotes.js';
import type { DateRange, PageRequest } from '../model/ranges.js';
import type { TrackingLinkInput } from '../model/referral.js';
import type { TransactionFilters } from '../model/settlements.js';
import type { EventsQuery, WebhookRegistrationInput } from '../model/webhook-registration.js';
import { instant, rangeViolation } from './dates.js';
import { domainName } from './domain-name.js';
import {
  brokerageTier,
  budget,
  country,
  currency,
  email,
  httpUrl,
  money,
  pageLimit,
  pathId,
  secret,
  text,
} from './values.js';

const dates = () => ({ from: optional(instant()), to: optional(instant()) });
const page = () => ({ cursor: optional(text()), limit: optional(pageLimit()) });
const returnUrls = () => ({ return_url: optional(httpUrl()), cancel_url: optional(httpUrl()) });

/** GET /domains/search */
export const searchFilters = record<{ q: string }>(() => ({ q: text() }));

/** GET /availability, GET /pricing, GET /brokerage/eligibility */
export const domainFilter = record<{ domain: string }>(() => ({ domain: domainName() }));

/** Who buys. The specification shows no field as required. */
const buyer = record<Buyer>(() => ({
  email: optional(email()),
  name: optional(text()),
  country: optional(country()),
}));

/** POST /quotes */
export const quoteInput = record<QuoteInput>(() => ({
  domain: domainName(),
  currency: optional(currency()),
  expected_price: optional(money()),
}));

/** POST /orders. Without a price, an order would be placed at any price: the check is required here. */
export const orderInput = record<OrderInput>(() => ({
  domain: domainName(),
  expected_price: money(),
  currency: optional(currency()),
  buyer: optional(buyer()),
  ...returnUrls(),
  quote_id: optional(text()),
  external_payment_ref: optional(text()),
}));

/** GET /orders */
export const orderFilters = record<OrderFilters>(
  () => ({ status: optional(text()), domain: optional(domainName()), ...dates(), ...page() }),
  rangeViolation,
);

/** POST /refunds. The field that names the order is assumed, so any field but the reason may name it. */
export const refundInput = record<RefundInput>(
  () => ({ public_id: optional(pathId()), reason: optional(text()) }),
  (refund) =>
    Object.entries(refund).some(([field, value]) => field !== 'reason' && value !== undefined)
      ? undefined
      : { path: '', message: 'must identify an order. Pass "public_id"' },
);

/** GET /transactions */
export const transactionFilters = record<TransactionFilters>(
  () => ({
    ...dates(),
    status: optional(text()),
    payment_model: optional(text()),
    ...page(),
  }),
  rangeViolation,
);

/** POST /checkout-session */
export const checkoutInput = record<CheckoutInput>(() => ({
  domain: domainName(),
  currency: optional(currency()),
  expected_price: optional(money()),
  buyer: optional(buyer()),
  ...returnUrls(),
}));

/** POST /brokerage */
export const brokerageCaseInput = record<BrokerageCaseInput>(() => ({
  tier: brokerageTier(),
  buyer_email: email(),
  budget: optional(budget()),
  domain: optional(domainName()),
}));

/** POST /links. Types that are not known here pass: the service may have more than three. */
export const linkInput = record<TrackingLinkInput>(() => ({
  type: text(),
  domain: optional(domainName()),
  product: optional(text()),
}));

/** PUT /api/partner/webhooks */
export const webhookInput = record<WebhookRegistrationInput>(() => ({
  url: httpUrl(),
  secret: secret(),
}));

/** GET /events */
export const eventsQuery = record<EventsQuery>(
  () => ({ after_id: optional(text()), limit: optional(pageLimit()) }),
  // The service would ignore it and begin with its oldest event.
  (query) =>
    (query as { cursor?: unknown }).cursor === undefined
      ? undefined
      : { path: 'cursor', message: 'is not a field of the history. Pass "after_id"' },
);

/** A span of dates, either end open. */
export const dateRange = record<DateRange>(dates, rangeViolation);

/** A span of dates with at least one end: the funnel of all time is not on offer (part 4.6). */
export const analyticsRange = record<DateRange>(dates, (range) =>
  range.from === undefined && range.to === undefined
    ? { path: '', message: 'must have dates. Pass "from", "to" or both' }
    : rangeViolation(range),
);

/** The place and the length of a page. */
export const pageRequest = record<PageRequest>(page);

/** A span of dates and a page of it. */
export const pagedDateRange = record<DateRange & PageRequest>(
  () => ({ ...dates(), ...page() }),
  rangeViolation,
);
