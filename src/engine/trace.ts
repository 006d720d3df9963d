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
 */
export interface CallSpan {
  /** The call's name: `orders.create`. */
  readonly call: string;
  readonly method: string;
  /** Path template: `/api/partner/v1/orders/{public_id}`. */
  readonly path: string;
  attempts?: number;
  /** Status of the answer to the last attempt, if there was one. */
  status?: number | undefined;
  requestId?: string | undefined;
  idempotencyKey?: string;
  /** What is known of the work, when the call failed. */
  outcome?: CallOutcome;
  /** What the call rejected with. */
  error?: unknown;
}

/** The message of `tracing:market-partner-sdk:attempt:*`. An attempt that failed ends without an error event. */
export interface AttemptSpan {
  readonly call: string;
  readonly method: string;
  readonly path: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds that were waited before it: back-off, Retry-After. */
  readonly delayMs: number;
  /** Status of the answer, if there was one. */
  status?: number | undefined;
  requestId?: string | undefined;
  /** Why there was no whole answer. */
  failure?: AttemptFailure;
  /** The failure and its causes in words. */
  error?: unknown;
}

/** What an attempt without a whole answer ended with: this side's limit or signal, or the wire. */
export type AttemptFailure = 'time' | 'abort' | FailureKind;

type Span = CallSpan | AttemptSpan;

const channels = {
  call: tracingChannel<CallSpan>('market-partner-sdk:call'),
  attempt: tracingChannel<AttemptSpan>('market-partner-sdk:attempt'),
};

export function traceCall<T>(span: CallSpan, run: () => Promise<T>): Promise<T> {
  return trace(channels.call, span, run);
}

export function traceAttempt<T>(span: AttemptSpan, run: () => Promise<T>): Promise<T> {
  return trace(channels.attempt, span, run);
}

type Channel<S extends object> = diagnostics.TracingChannel<unknown, S>;

/** A runtime without tracing channels runs the call and tells nobody. */
function tracingChannel<S extends object>(name: string): Channel<S> | undefined {
  const { tracingChannel: make } = diagnostics as Partial<typeof diagnostics>;
  return make?.<unknown, S>(name);
}

function trace<S extends Span, T>(
  channel: Channel<S> | undefined,
  span: S,
  run: () => Promise<T>,
): Promise<T> {
  if (channel === undefined || !isWatched(channel)) return run();
  // tracePromise would publish what the promise gives: the data stays out of the span.
  let given: { value: T } | undefined;
  return channel
    .tracePromise(async () => {
      given = { value: await run() };
    }, span)
    .then(() => (given as { value: T }).value);
}

function isWatched<S extends object>(channel: Channel<S>): boolean {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  return [start, end, asyncStart, asyncEnd, error].some((each) => each.hasSubscribers);
}
