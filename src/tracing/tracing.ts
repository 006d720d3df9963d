/** Tracing: what surrounds the calls of the client, deliveries of webhooks and durable work. */

import type { Environment } from '../assumptions.js';
import type { WebhookTracing } from '../webhooks/handler/webhook-span.js';
import type { DurableTracing } from './durable-spans.js';
import type { AttemptSpan, CallSpan } from './spans.js';

/** A call to trace. */
export interface TracedCall {
  /** The facts of the call. Those of its end are there when `run` has settled. */
  readonly span: CallSpan;
  /** The service's origin: `https://market.example`. */
  readonly origin: string;
  /** The credential's environment, where its key id shows one. */
  readonly environment: Environment | undefined;
}

/** An attempt to trace. */
export interface TracedAttempt {
  /** The facts of the attempt. Those of its end are there when `run` has settled. */
  readonly span: AttemptSpan;
  /** The service's origin: `https://market.example`. */
  readonly origin: string;
  /** The address of the request, without its query. */
  readonly url: string;
}

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
export interface Tracing extends WebhookTracing, DurableTracing {
  /** Runs a call, in its span's context. Calls `run` once, before it returns. */
  call(call: TracedCall, run: () => Promise<unknown>): unknown;
  /** Runs an attempt. `headers` are added to its request, such as `traceparent`. */
  attempt?(
    attempt: TracedAttempt,
    run: (headers?: Readonly<Record<string, string>>) => Promise<unknown>,
  ): unknown;
}
