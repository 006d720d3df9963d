/** The diagnostics channels of the durable part. No message holds a body or a secret. */

import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { DurableTracing, EventSpan, OrderSpan, TraceCarrier } from './tracing.js';
import { runTraced, tracePromise } from '../tracing.js';

const channels = {
  event: tracingChannel<unknown, object>('market-partner-sdk:event'),
  order: tracingChannel<unknown, object>('market-partner-sdk:order'),
};

/**
 * Runs an attempt inside its span.
 *
 * @param trace - runs the attempt inside the partner's tracing, where there is one.
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

/** Baggage of any size may be in it, and it is stored with each job. */
const longestCarrier = 4_096;

/** The carrier of the active span, where there is one. A tracing that throws must not lose a sale. */
export function readCarrier(tracing: DurableTracing | undefined): TraceCarrier | undefined {
  // Each delivery and each intent comes here, traced or not.
  if (tracing?.carrier === undefined) return undefined;
  try {
    const text = JSON.stringify(tracing.carrier());
    return text === '{}' || text.length > longestCarrier
      ? undefined
      : (JSON.parse(text) as TraceCarrier);
  } catch {
    return undefined;
  }
}

/** Publishes `market-partner-sdk:poll`, `:dead-letter` or `:gap`. */
export function publish(name: 'poll' | 'dead-letter' | 'gap', message: object): void {
  const named = channel(`market-partner-sdk:${name}`);
  if (named.hasSubscribers) named.publish(message);
}
