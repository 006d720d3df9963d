/** Tracing: spans around client calls, webhook deliveries and durable work. */

import type { ClientTracing } from '../client/tracing.js';
import type { DurableTracing } from '../durable/tracing.js';
import type { WebhookTracing } from '../webhooks/handler/webhook-span.js';

/**
 * Wraps calls and attempts in spans. A webhook handler, an inbox and an outbox accept it too.
 * `openTelemetry` of `market-partner-sdk/opentelemetry` creates one. What its functions throw or return
 * is ignored: the client uses the result of `run` itself.
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
