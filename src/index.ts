export { MarketClient } from './client.js';
export type { ClientOptions, Sleep } from './options/client-options.js';
export type { Credentials, RequestSigner } from './options/credentials.js';
export type { RequestOptions } from './options/request-options.js';
export type { RawRequest } from './options/raw-request.js';
export type { Environment } from './assumptions.js';
export type { Clock } from './options/clock.js';
export type { Logger, LogFields } from './options/logger.js';
export type { AttemptFailure, AttemptSpan, CallSpan, ContextFields } from './tracing/spans.js';
export type { TracedAttempt, TracedCall, Tracing } from './tracing/tracing.js';
export type { DispatcherLike } from './transport/undici.js';
export type { FetchResponseLike, FetchBodyReader, FetchLike } from './transport/fetch.js';

export { CallPromise, type CallResponse, type DataWithResponse } from './results/call-promise.js';
export { Page, type ToArrayOptions } from './results/page.js';
export { PagePromise } from './results/page-promise.js';
export { CommissionPage, TransactionPage } from './results/totals-pages.js';

export * from './errors/index.js';

export { canonicalString, type CanonicalStringInput } from './protocol/canonical-string.js';
export { canonicalQuery, type QueryInput, type QueryValue } from './protocol/query.js';
export { explainSignature } from './protocol/explain.js';
export {
  signRequest,
  type SignatureHeaders,
  type SignedRequest,
  type SignRequestInput,
} from './protocol/sign.js';

export { displayDomain, type DomainDisplay } from './domain-name/display-domain.js';
export { decimalAmount, formatAmount } from './money/format-amount.js';

export type { Brokerage } from './resources/brokerage.js';
export type { CheckManyOptions, CheckResult } from './resources/check-many.js';
export type { Checkout } from './resources/checkout.js';
export type { Domains } from './resources/domains.js';
export type { Events } from './resources/events.js';
export type { Orders } from './resources/orders.js';
export type { Referral } from './resources/referral.js';
export type { ResumedSale, ResumeOptions, SaleToResume } from './resources/resume-order.js';
export type { RefusalReason } from './sale/decide-verdict.js';
export type { WaitForOptions } from './resources/wait-for-order.js';
export type * from './model/index.js';
export type * from './webhooks/events.js';
