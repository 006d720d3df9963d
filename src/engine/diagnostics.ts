/**
 * The diagnostics channels: one span for a call, one for each of its attempts. None holds a secret,
 * a signature, a query or a body; `error` is the caller's own, with the beginning of the body.
 */

import * as diagnostics from 'node:diagnostics_channel';
import type { AttemptSpan, CallSpan } from '../tracing/spans.js';

type Span = CallSpan | AttemptSpan;

export const channels = {
  call: tracingChannel<CallSpan>('market-partner-sdk:call'),
  attempt: tracingChannel<AttemptSpan>('market-partner-sdk:attempt'),
};

/** Without subscribers no span is built. */
export function hasSubscribers<S extends Span>(
  channel: Channel<S> | undefined,
): channel is Channel<S> {
  return (
    channel !== undefined &&
    (channel.start.hasSubscribers ||
      channel.end.hasSubscribers ||
      channel.asyncStart.hasSubscribers ||
      channel.asyncEnd.hasSubscribers ||
      channel.error.hasSubscribers)
  );
}

type Channel<S extends object> = diagnostics.TracingChannel<unknown, S>;

/** A runtime without tracing channels publishes nothing. */
function tracingChannel<S extends object>(name: string): Channel<S> | undefined {
  const { tracingChannel: make } = diagnostics as Partial<typeof diagnostics>;
  return make?.<unknown, S>(name);
}

/** @param run - may fill in the span until it is done. */
export function tracePromise<S extends Span, T>(
  channel: Channel<S>,
  span: S,
  run: () => Promise<T>,
): Promise<T> {
  // tracePromise() publishes the promise's value; an empty one keeps the data out of spans.
  let result: { value: T } | undefined;
  return channel
    .tracePromise(async () => {
      result = { value: await run() };
    }, span)
    .then(() => (result as { value: T }).value);
}
