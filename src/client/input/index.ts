export { checkInput } from './check-input.js';
export { copyInput } from './copy-input.js';
export type { LazySchema } from './lazy-schema.js';
export type { RecordSchema } from './record-schema.js';
export { serializeBody } from './json-body.js';
export { queryPairs } from './query-values.js';

export { domainName } from './domain-name.js';
export { currency } from './values/codes.js';
export { idempotencyKey, pathId } from './values/identifiers.js';

export { brokerageCaseInput } from './records/brokerage.js';
export { checkoutInput } from './records/checkout.js';
export { domainFilter, searchFilters } from './records/domains.js';
export { orderFilters, orderInput, quoteInput, refundInput } from './records/orders.js';
export { analyticsRange, dateRange, pagedDateRange, pageRequest } from './records/ranges.js';
export { linkInput } from './records/referral.js';
export { transactionFilters } from './records/settlements.js';
export { eventsQuery, webhookInput } from './records/webhook-registration.js';
