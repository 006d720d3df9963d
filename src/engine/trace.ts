/**
 * What tracing tools see, through Node's diagnostics channels: one span for a call, one for each of
 * its attempts. Nothing of it holds a secret, a signature, a query or a body; `error` is the very
 * error that the caller gets, with the beginning of a refusal's body on it.
 */

import * as diagnostics from 'node:diagnostics_channel';
import type { CallOutcome } from '../errors/market-error.js';
import type { FailureKind } from '../transport/transport.js';

/**
 * The message of `tracing:market-partner-sdk:call:*`. The members that are known only later are
 * there on `asyncEnd`.
 *
 * @example
 * ```ts
 * import { tracingChannel } from 'node:diagnostics_channel';
 * import type { CallSpan } from 'market-partner-sdk';
 *
 * const nothing = () => undefined;
 * tracingChannel<unknown, CallSpan>('market-partner-sdk:call').subscribe({
 *   start: nothing,
 *   end: nothing,
 *   asyncStart: nothing,
 *   error: nothing,
 *   asyncEnd: ({ call, attempts, status, outcome }) => console.log(call, attempts, status, outcome),
 * });
 * ```
 */
export interface CallSpan {
  /** The call's name: `orders.create`. */
  readonly call: string;
  /** HTTP method, upper-case. */
  readonly method: string;
  /** Path template: `/api/partner/v1/orders/{public_id}`. */
  readonly path: string;
  /** Attempts that were started, the first included. */
  attempts?: number;
  /** Status of the answer to the last attempt, if there was one. */
  status?: number | undefined;
  /** The service's identifier of the last attempt, where it gave one. */
  requestId?: string | undefined;
  /** The Idempotency-Key, where one is sent; known from the start. */
  idempotencyKey?: string;
  /** What is known of the work, when the call failed. */
  outcome?: CallOutcome;
  /** What the call rejected with. */
  error?: unknown;
}

/**
 * The message of `tracing:market-partner-sdk:attempt:*`. An attempt that failed ends without an
 * error event.
 *
 * @example
 * ```ts
 * import { tracingChannel } from 'node:diagnostics_channel';
 * import type { AttemptSpan } from 'market-partner-sdk';
 *
 * const nothing = () => undefined;
 * tracingChannel<unknown, AttemptSpan>('market-partner-sdk:attempt').subscribe({
 *   start: nothing,
 *   end: nothing,
 *   asyncStart: nothing,
 *   error: nothing,
 *   asyncEnd: ({ call, attempt, delayMs, status, failure }) => console.log(call, attempt, delayMs, status ?? failure),
 * });
 * ```
 */
export interface AttemptSpan {
  /** The call's name: `orders.create`. */
  readonly call: string;
  /** HTTP method, upper-case. */
  readonly method: string;
  /** Path template: `/api/partner/v1/orders/{public_id}`. */
  readonly path: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds that were waited before it: back-off, Retry-After. */
  readonly delayMs: number;
  /** Status of the answer, if there was one. */
  status?: number | undefined;
  /** The service's identifier of the attempt, where it gave one. */
  requestId?: string | undefined;
  /** Why there was no whole answer. */
  failure?: AttemptFailure;
  /** The failure and its causes in words. */
  error?: unknown;
}

/**
 * What an attempt without a whole answer ended with. On this side: `'time'` ran out, or an `'abort'`.
 * On the wire: `'not_sent'` (the service cannot have acted), `'broken'` (it may have), `'too_large'`
 * (longer than any answer of this API), or `'unknown'` (no failure of a network).
 */
export type AttemptFailure = 'time' | 'abort' | FailureKind;

type Span = CallSpan | AttemptSpan;

export const channels = {
  call: tracingChannel<CallSpan>('market-partner-sdk:call'),
  attempt: tracingChannel<AttemptSpan>('market-partner-sdk:attempt'),
};

/** Whether anybody listens: for nobody, no span is put together. */
export function isWatched<S extends Span>(channel: Channel<S> | undefined): channel is Channel<S> {
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

/** A runtime without tracing channels runs the call and tells nobody. */
function tracingChannel<S extends object>(name: string): Channel<S> | undefined {
  const { tracingChannel: make } = diagnostics as Partial<typeof diagnostics>;
  return make?.<unknown, S>(name);
}

/** @param run - may fill in the span until it is done. */
export function trace<S extends Span, T>(
  channel: Channel<S>,
  span: S,
  run: () => Promise<T>,
): Promise<T> {
  // tracePromise would publish what the promise gives: the data stays out of the span.
  let given: { value: T } | undefined;
  return channel
    .tracePromise(async () => {
      given = { value: await run() };
    }, span)
    .then(() => (given as { value: T }).value);
}
