/** openTelemetry: the client's calls as spans and histograms of the partner's OpenTelemetry. */

import type { TracedAttempt, TracedCall, Tracing } from '../tracing/tracing.js';
import {
  spanKind,
  statusError,
  type Attributes,
  type OpenTelemetryApi,
  type SpanLike,
} from './api.js';
import { attemptAttributes, attemptEndAttributes } from './attempt-attributes.js';
import { callAttributes, callEndAttributes, errorType, isAborted } from './call-attributes.js';
import { createCallMetrics } from './call-metrics.js';

/** The options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * Emit a CLIENT span for each attempt and send its `traceparent`. For programs without an HTTP
   * instrumentation: with one, each attempt would have two spans. Default: `false`.
   */
  readonly attempts?: boolean | undefined;
  /** Put the Idempotency-Key on the call's span, as `market.idempotency_key`. Default: `false`. */
  readonly idempotencyKey?: boolean | undefined;
}

/** The name of the tracer and of the meter. */
const scopeName = 'market-partner-sdk';

/**
 * Makes the client's `tracing` out of your own `@opentelemetry/api`. Each call is one INTERNAL span,
 * such as `market.orders.create`, which is active while the call runs: spans of an HTTP
 * instrumentation become its children. Histograms: `market.client.call.duration` in seconds and
 * `market.client.call.attempts`. No span holds a secret, a signature, a query or a body.
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
export function openTelemetry<Context, Span extends SpanLike>(
  api: OpenTelemetryApi<Context, Span>,
  options: OpenTelemetryOptions = {},
): Tracing {
  const tracer = api.trace.getTracer(scopeName);
  const metrics = createCallMetrics(api.metrics.getMeter(scopeName));

  const runInSpan = async <T>(
    span: Span,
    run: (context: Context) => Promise<T>,
    end: (error: unknown) => { attributes: Attributes; isError: boolean },
  ): Promise<void> => {
    const context = api.trace.setSpan(api.context.active(), span);
    const error: unknown = await api.context
      .with(context, () => run(context))
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    const { attributes, isError } = end(error);
    span.setAttributes(attributes);
    if (isError) span.setStatus({ code: statusError });
    span.end();
  };

  const traceCall = (call: TracedCall, run: () => Promise<unknown>) => {
    const startedMs = performance.now();
    const attributes = callAttributes(call, options.idempotencyKey === true);
    const kind = spanKind.internal;
    const name = `market.${call.span.call}`;
    const span = tracer.startSpan(name, { kind, attributes }, api.context.active());
    return runInSpan(span, run, (error) => {
      metrics.record(call, (performance.now() - startedMs) / 1000, error);
      const isError = error !== undefined && !isAborted(error);
      return { attributes: callEndAttributes(call.span, errorType(error)), isError };
    });
  };

  const traceAttempt = (
    attempt: TracedAttempt,
    run: (headers: Record<string, string>) => Promise<unknown>,
  ) => {
    const attributes = attemptAttributes(attempt);
    const kind = spanKind.client;
    const name = `${attempt.span.method} ${attempt.span.path}`;
    const span = tracer.startSpan(name, { kind, attributes }, api.context.active());
    const send = (context: Context) => {
      const headers: Record<string, string> = {};
      api.propagation.inject(context, headers);
      return run(headers);
    };
    return runInSpan(span, send, () => {
      const ended = attemptEndAttributes(attempt.span);
      return { attributes: ended, isError: ended['error.type'] !== undefined };
    });
  };

  return options.attempts === true
    ? { call: traceCall, attempt: traceAttempt }
    : { call: traceCall };
}
