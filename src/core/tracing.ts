/** Node's tracing channels, as every part of the package publishes on them, and runTraced. */

import type * as diagnostics from 'node:diagnostics_channel';

export type TracingChannel<Span extends object> = diagnostics.TracingChannel<unknown, Span>;

/** Written out: it runs for each call and each delivery. Without subscribers no span is built. */
export function hasSubscribers<Span extends object>(
  channel: TracingChannel<Span> | undefined,
): channel is TracingChannel<Span> {
  return (
    channel !== undefined &&
    (channel.start.hasSubscribers ||
      channel.end.hasSubscribers ||
      channel.asyncStart.hasSubscribers ||
      channel.asyncEnd.hasSubscribers ||
      channel.error.hasSubscribers)
  );
}

/** @param run - may fill in the span until it is done. */
export function tracePromise<Span extends object, T>(
  channel: TracingChannel<Span>,
  span: Span,
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

/**
 * Runs work inside a tracing that must not be able to fail, repeat or delay it.
 *
 * @param trace - calls what it gets, in a context of its own.
 * @returns the promise of `work`, which runs exactly once whatever `trace` does.
 */
export function runTraced<Args extends unknown[], T>(
  trace: (run: (...args: Args | []) => Promise<T>) => unknown,
  work: (...args: Args | []) => Promise<T>,
): Promise<T> {
  let result: Promise<T> | undefined;
  // A promise of its own for the tracing: V8 follows a promise to the function that awaits it only if
  // nothing else does, and an error's stack would lack the caller.
  const { promise: traced, resolve, reject } = deferred<T>();
  traced.catch(() => undefined);
  const observed = async (...args: Args | []) => {
    try {
      const value = await work(...args);
      resolve(value);
      return value;
    } catch (error) {
      reject(error);
      throw error;
    }
  };
  const run = (...args: Args | []) => {
    result ??= observed(...args);
    return traced;
  };
  try {
    // A rejection of the tracing's own promise must not end the process.
    Promise.resolve(trace(run)).catch(() => undefined);
  } catch {
    // A broken tracer must not lose an order.
  }
  return (result ??= observed());
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((...settlers) => ([resolve, reject] = settlers));
  return { promise, resolve, reject };
}
