/** The diagnostics channels of the durable part. No message holds a body or a secret. */

import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { DurableTracing, EventSpan, OrderSpan, TraceContext } from './tracing.js';
import { runTraced, tracePromise } from '../core/tracing.js';

const channels = {
  event: tracingChannel<unknown, object>('market-partner-sdk:event'),
  order: tracingChannel<unknown, object>('market-partner-sdk:order'),
};

/**
 * Runs an attempt inside its span.
 *
 * @param trace - runs the attempt inside the partner's own span, if `tracing` is set.
 */
export function traceAttempt<T>(
  name: keyof typeof channels,
  span: EventSpan | OrderSpan,
  run: () => Promise<T>,
  trace?: (run: () => Promise<unknown>) => unknown,
): Promise<T> {
  const published = () => tracePromise<object, T>(channels[name], span, run);
  return trace === undefined ? published() : runTraced(trace, published);
}

/** It may hold baggage of any size, and it is stored with each job. */
const longestTraceContext = 4_096;

/** The trace context of the active span, if there is one. A tracer that throws must not lose a sale. */
export function readTraceContext(tracing: DurableTracing | undefined): TraceContext | undefined {
  // This runs for each delivery and each sale, traced or not.
  if (tracing?.traceContext === undefined) return undefined;
  try {
    const text = JSON.stringify(tracing.traceContext());
    return text === '{}' || text.length > longestTraceContext
      ? undefined
      : (JSON.parse(text) as TraceContext);
  } catch {
    return undefined;
  }
}

/** Publishes `market-partner-sdk:poll`, `:dead-letter` or `:gap`. */
export function publish(name: 'poll' | 'dead-letter' | 'gap', message: object): void {
  const named = channel(`market-partner-sdk:${name}`);
  if (named.hasSubscribers) named.publish(message);
}
