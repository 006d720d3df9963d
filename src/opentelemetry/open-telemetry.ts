/** openTelemetry: calls, deliveries and durable work as spans and histograms of OpenTelemetry. */

import type { TracedCall } from '../client/tracing.js';
import type { Tracing } from './tracing.js';
import { spanKind, type Attributes, type OpenTelemetryApi, type SpanLike } from './api.js';
import { attemptAttributes, attemptEndAttributes } from './attempt-attributes.js';
import {
  callAttributes,
  callEndAttributes,
  errorType,
  isAborted,
  setDefined,
} from './call-attributes.js';
import { createCallMetrics } from './call-metrics.js';
import { createSpanRunner, scopeName } from './span-runner.js';
import { deliveryEndAttributes, eventAttributes, orderAttributes } from './work-attributes.js';

/** The options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * Emit a CLIENT span for each attempt and send its `traceparent`. For programs without an HTTP
   * instrumentation: with one, each attempt would have two spans. Default: `false`.
   */
  readonly attempts?: boolean | undefined;
  /**
   * Put the Idempotency-Key on the spans of calls and of orders, as `market.idempotency_key`.
   * Default: `false`.
   */
  readonly idempotencyKey?: boolean | undefined;
}

/**
 * Makes `tracing` out of your own `@opentelemetry/api`, for the client, a webhook handler, an inbox
 * and an outbox. Each call is one INTERNAL span, such as `market.orders.create`, which is active
 * while the call runs: spans of an HTTP instrumentation become its children. Histograms:
 * `market.client.call.duration` in seconds and `market.client.call.attempts`. Other spans:
 * `market.webhook`, `market.event` and `market.order`, the last two linked to what caused them. No
 * span holds a secret, a signature, a query or a body.
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
  const runInSpan = createSpanRunner(api);
  const metrics = createCallMetrics(api.metrics.getMeter(scopeName));
  const withKey = options.idempotencyKey === true;

  const call: Tracing['call'] = (traced, run) => {
    const startedMs = performance.now();
    return runInSpan({
      name: `market.${traced.span.call}`,
      kind: spanKind.internal,
      attributes: callAttributes(traced, withKey),
      run,
      end: (error) => {
        metrics.record(traced, (performance.now() - startedMs) / 1000, error);
        return endOfCall(traced, error);
      },
    });
  };

  const attempt: Tracing['attempt'] = (traced, run) =>
    runInSpan({
      name: `${traced.span.method} ${traced.span.path}`,
      kind: spanKind.client,
      attributes: attemptAttributes(traced),
      run: (context) => run(headersOf(context)),
      end: () => {
        const attributes = attemptEndAttributes(traced.span);
        return { attributes, isError: attributes['error.type'] !== undefined };
      },
    });

  const headersOf = (context: Context) => {
    const headers: Record<string, string> = {};
    api.propagation.inject(context, headers);
    return headers;
  };

  return {
    call,
    ...(options.attempts === true ? { attempt } : {}),
    webhook: (span, run) =>
      runInSpan({
        name: 'market.webhook',
        kind: spanKind.internal,
        attributes: {},
        run,
        // A refused signature is the sender's failure, not the receiver's.
        end: () => ({
          attributes: deliveryEndAttributes(span),
          isError: span.status === undefined || span.status >= 500,
        }),
      }),
    carrier: () => headersOf(api.context.active()),
    event: (span, cause, run) =>
      runInSpan({
        name: 'market.event',
        kind: spanKind.consumer,
        attributes: eventAttributes(span),
        cause,
        run,
        end: endOfWork,
      }),
    order: (span, cause, run) =>
      runInSpan({
        name: 'market.order',
        kind: spanKind.consumer,
        attributes: orderAttributes(span, withKey),
        cause,
        run,
        end: (error) => {
          const { attributes, isError } = endOfWork(error);
          setDefined(attributes, 'market.verdict', span.verdict);
          return { attributes, isError };
        },
      }),
  };
}

function endOfCall({ span }: TracedCall, error: unknown) {
  const isError = error !== undefined && !isAborted(error);
  return { attributes: callEndAttributes(span, errorType(error)), isError };
}

function endOfWork(error: unknown) {
  const attributes: Attributes = {};
  setDefined(attributes, 'error.type', errorType(error));
  return { attributes, isError: error !== undefined };
}
