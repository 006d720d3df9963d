export type * from './events.js';
export { isValidSignature, signWebhook, verifyWebhook } from './verify.js';
export { WebhookVerificationError, type WebhookErrorReason } from './verification-error.js';
export type { RawBody } from './raw-body.js';
export type { WebhookSecret } from './secrets.js';
export type { HeadersLike, WebhookHeaders, WebhookSignature } from './signature-header.js';
export { explainWebhookMismatch } from './diagnosis/explain-mismatch.js';
export { createWebhookHandler } from './handler/webhook-handler.js';
export type { WebhookDelivery, WebhookHandler } from './handler/delivery-handler.js';
export type { WebhookHandlerOptions } from './handler/options.js';
export type { WebhookContext, WebhookListeners } from './handler/listeners.js';
export type { WebhookSecretSource } from './handler/requested-secrets.js';
export type { WebhookSignal } from './handler/delivery-config.js';
export type { WebhookErrorContext } from './handler/error-reporter.js';
export type { WebhookHttpResponse, WebhookStatus } from './handler/response.js';
export type { DeduplicationStore } from './handler/deduplication/store.js';
export { RecentEvents } from './handler/deduplication/recent-events.js';
export type {
  WebhookRequest,
  WebhookRequestBody,
  WebhookRequestReader,
  WebhookRequestSignal,
  WebhookResponse,
} from './handler/adapters/fetch.js';
export type { LambdaWebhookEvent, LambdaWebhookResult } from './handler/adapters/lambda.js';
export type { NodeWebhookRequest, NodeWebhookResponse } from './handler/adapters/node.js';
export type { WebhookSpan, WebhookTracing } from './handler/webhook-span.js';
