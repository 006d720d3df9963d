export { checkInput, readFields } from './check-input.js';
export { sentInput, serializeBody } from './json-body.js';
export { queryPairs } from './query-values.js';

export { domainName } from './domain-name.js';
export { unixMs, windowMs } from './dates.js';
export { currency, idempotencyKey, nullAsAbsent, pathId } from './values.js';
export {
  analyticsRange,
  brokerageCaseInput,
  checkoutInput,
  dateRange,
  domainFilter,
  eventsQuery,
  linkInput,
  orderFilters,
  orderInput,
  pagedDateRange,
  pageRequest,
  quoteInput,
  refundInput,
  searchFilters,
  transactionFilters,
  webhookInput,
} from './records.js';
