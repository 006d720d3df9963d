/** Tracing: what surrounds the calls of the client, deliveries of webhooks and durable work. */

import type { ClientTracing } from '../client/tracing.js';
import type { DurableTracing } from '../durable/tracing.js';
import type { WebhookTracing } from '../webhooks/handler/webhook-span.js';

/**
 * Surrounds calls and attempts with spans; a webhook handler, an inbox and an outbox take it too.
 * `openTelemetry` of `market-partner-sdk/opentelemetry`
 * makes one. The client uses the result of `run` itself: what a tracing throws or returns is ignored.
 *
 * @example
 * ```ts
 * import { MarketClient, type Tracing } from 'market-partner-sdk';
 *
 * const tracing: Tracing = {
 *   async call({ span }, run) {
 *     await run().catch(() => undefined);
 *     console.log(span.call, span.attempts, span.outcome);
 *   },
 * };
 * const market = new MarketClient({ tracing });
 * ```
 */
export interface Tracing extends ClientTracing, WebhookTracing, DurableTracing {}
