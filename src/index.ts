export { MarketClient } from './client/client.js';
export type { ClientOptions, Sleep } from './client/options/client-options.js';
export type { Credentials, RequestSigner } from './client/options/credentials.js';
export type { RequestOptions } from './client/options/request-options.js';
export type { RawRequest } from './client/options/raw-request.js';
export type { Environment } from './client/assumptions.js';
export type { Clock } from './client/options/clock.js';
export type { Logger, LogFields } from './core/logger.js';
export type {
  AttemptFailure,
  AttemptSpan,
  CallSpan,
  ClientTracing,
  ContextFields,
  TracedAttempt,
  TracedCall,
} from './client/tracing.js';
export type { Tracing } from './opentelemetry/tracing.js';
export type { DispatcherLike } from './client/transport/undici.js';
export type { FetchResponseLike, FetchBodyReader, FetchLike } from './client/transport/fetch.js';

export {
  CallPromise,
  type CallResponse,
  type DataWithResponse,
} from './client/results/call-promise.js';
export { Page, type ToArrayOptions } from './client/results/page.js';
export { PagePromise } from './client/results/page-promise.js';
export { CommissionPage, TransactionPage } from './client/results/totals-pages.js';

export * from './client/errors/index.js';

export { canonicalString, type CanonicalStringInput } from './client/protocol/canonical-string.js';
export { canonicalQuery, type QueryInput, type QueryValue } from './client/protocol/query.js';
export { explainSignature } from './client/protocol/explain.js';
export {
  signRequest,
  type SignatureHeaders,
  type SignedRequest,
  type SignRequestInput,
} from './client/protocol/sign.js';

export { displayDomain, type DomainDisplay } from './client/display/display-domain.js';
export { decimalAmount, formatAmount } from './client/display/format-amount.js';
export { isOrderProgress } from './client/sale/order-progress.js';

export type { SaleInBooks } from './client/books/booked-sale.js';
export type { Finding, FindingKind } from './client/books/findings.js';
export type { BooksToReconcile, ReconcileOptions } from './client/books/reconcile-options.js';
export type { Reconciliation, ReconcileSummary } from './client/books/reconcile.js';
export type { Brokerage } from './client/resources/brokerage.js';
export type { CheckManyOptions, CheckResult } from './client/resources/check-many.js';
export type { Checkout } from './client/resources/checkout.js';
export type { Domains } from './client/resources/domains.js';
export type { Events } from './client/resources/events.js';
export type { Orders } from './client/resources/orders.js';
export type { Referral } from './client/resources/referral.js';
export type { CaseToResume, ResumedCase } from './client/resources/resume-case.js';
export type { RefundToResume, ResumedRefund } from './client/resources/resume-refund.js';
export type { OpenResult, ResumeWriteOptions } from './client/resources/resume-write.js';
export type { ResumedSale, ResumeOptions, SaleToResume } from './client/resources/resume-order.js';
export type { RefusalReason } from './client/sale/decide-verdict.js';
export type { WaitForOptions } from './client/resources/wait-for-order.js';
export type * from './client/model/index.js';
export type * from './webhooks/events.js';
export type { Profile } from './client/profile/profile.js';
