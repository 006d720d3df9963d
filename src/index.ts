export { MarketClient } from './client.js';
export type { ClientOptions, RequestOptions, Sleep } from './options.js';
export type { RawRequest } from './engine/raw-request.js';
export type { Environment } from './assumptions.js';
export type { Clock } from './engine/service-clock.js';
export type { Logger, LogFields } from './engine/logger.js';
export type { AttemptFailure, AttemptSpan, CallSpan } from './engine/trace.js';
export type { DispatcherLike } from './transport/undici.js';
export type { FetchAnswer, FetchBodyReader, FetchLike } from './transport/fetch.js';

export { CallPromise, type CallResponse, type WithResponse } from './engine/call-promise.js';
export { Page, type ToArrayOptions } from './pages/page.js';
export { PagePromise } from './pages/page-promise.js';
export { CommissionPage, TransactionPage } from './pages/with-sums.js';

export * from './errors/index.js';

export { canonicalString, type SignedParts } from './protocol/canonical-string.js';
export { canonicalQuery, type QueryInput, type QueryValue } from './protocol/query.js';
export { explainSignature } from './protocol/explain.js';
export {
  signRequest,
  type SignatureHeaders,
  type SignedRequest,
  type SignRequestInput,
} from './protocol/sign.js';

export type { Brokerage } from './resources/brokerage.js';
export type { Checkout } from './resources/checkout.js';
export type { Domains } from './resources/domains.js';
export type { Events } from './resources/events.js';
export type { Orders } from './resources/orders.js';
export type { Referral } from './resources/referral.js';
export type { WaitForOptions } from './resources/wait-for-order.js';
export type * from './model/index.js';
export type * from './webhooks/events.js';
