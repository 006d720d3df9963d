export type {
  BrokerageCaseCompletedEvent,
  EventData,
  EventOrder,
  EventOrderStatus,
  KnownEvent,
  MarketEvent,
  MarketEventType,
  OrderEvent,
  OrderEventData,
  OrderManualReviewClearedEvent,
  OrderRecordedEvent,
  OrderRefundedEvent,
  OrderSettledEvent,
  OrderTransferCompletedEvent,
  OrderTransferStartedEvent,
  UnknownEvent,
  UnknownEventType,
} from './events.js';
export { isValidSignature, signWebhook, verifyWebhook } from './verify.js';
export { WebhookVerificationError, type WebhookRefusal } from './verification-error.js';
export type { RawBody } from './raw-body.js';
export type { WebhookSecret } from './secrets.js';
export type { HeadersLike, WebhookHeaders, WebhookSignature } from './signature-header.js';
export { explainWebhookMismatch } from './diagnosis/explain-mismatch.js';
export {
  createWebhookHandler,
  type WebhookDelivery,
  type WebhookHandler,
} from './receiver/handler.js';
export type { WebhookAnswer, WebhookStatus } from './receiver/answer.js';
export { RecentEvents, type DeduplicationStore } from './receiver/deduplication.js';
export type {
  WebhookErrorContext,
  WebhookHandlerOptions,
  WebhookListeners,
} from './receiver/options.js';
export type {
  WebhookRequest,
  WebhookRequestBody,
  WebhookRequestReader,
  WebhookResponse,
} from './receiver/fetch-door.js';
export type { LambdaWebhookEvent, LambdaWebhookResult } from './receiver/lambda-door.js';
export type { NodeWebhookRequest, NodeWebhookResponse } from './receiver/node-door.js';
