/** openTelemetry: calls, deliveries and durable work as spans and histograms of OpenTelemetry. */

import { boolean, checkOptions } from '../webhooks/check-options.js';
import type { Tracing } from './tracing.js';
import type { OpenTelemetryApi, SpanLike } from './api.js';
import { createCallMetrics } from './call-metrics.js';
import { createSpanPlans } from './span-plans.js';
import { createSpanRunner, scopeName } from './span-runner.js';

/** The options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * Create a CLIENT span for each attempt and send its `traceparent`. Only for programs without HTTP
   * instrumentation, with which each attempt would have two spans. Default: `false`.
   */
  readonly attempts?: boolean | undefined;
  /**
   * Put the Idempotency-Key on the spans of calls and of orders, as `market.idempotency_key`.
   * Default: `false`.
   */
  readonly idempotencyKey?: boolean | undefined;
}

/**
 * Creates the option `tracing` from your own `@opentelemetry/api`, for the client, a webhook handler,
 * an inbox and an outbox. Each call is one INTERNAL span, such as `market.orders.create`, which is
 * active while the call runs: spans of an HTTP instrumentation become its children. Histograms:
 * `market.client.call.duration` in seconds and `market.client.call.attempts`. Other spans:
 * `market.webhook`, `market.event` and `market.order`, the last two linked to the span that caused
 * them. No span holds a secret, a signature, a query or a body.
 *
 * @param api - the module `@opentelemetry/api`, 1.9 or later.
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api';
 * import { MarketClient } from 'market-partner-sdk';
 * import { openTelemetry } from 'market-partner-sdk/opentelemetry';
 *
 * const market = new MarketClient({ tracing: openTelemetry(api) });
 * ```
 */
export function openTelemetry<Context, Span extends SpanLike, SpanContext>(
  api: OpenTelemetryApi<Context, Span, SpanContext>,
  options: OpenTelemetryOptions = {},
): Tracing {
  if (typeof (api as Partial<typeof api> | undefined)?.trace?.getTracer !== 'function') {
    throw new TypeError('"api" must be the module @opentelemetry/api: import * as api');
  }
  const { attempts = false, idempotencyKey = false } = checkOptions<OpenTelemetryOptions>(
    { attempts: boolean, idempotencyKey: boolean },
    options,
  );
  const recordCall = createCallMetrics(api.metrics.getMeter(scopeName));
  const plans = createSpanPlans(recordCall, idempotencyKey);
  const runInSpan = createSpanRunner(api);
  const headersOf = (context: Context) => {
    const headers: Record<string, string> = {};
    api.propagation.inject(context, headers);
    return headers;
  };
  const attempt: Tracing['attempt'] = (traced, run) =>
    runInSpan(plans.attempt(traced), (context) => run(headersOf(context)));

  return {
    call: (traced, run) => runInSpan(plans.call(traced), run),
    ...(attempts ? { attempt } : {}),
    webhook: (span, run) => runInSpan(plans.webhook(span), run),
    traceContext: () => headersOf(api.context.active()),
    event: (span, cause, run) => runInSpan(plans.event(span, cause), run),
    order: (span, cause, run) => runInSpan(plans.order(span, cause), run),
  };
}
