/** CallSpan and AttemptSpan: what is published of a call and of its attempts, and how they are traced. */

import type { Environment } from './assumptions.js';
import type { CallOutcome } from './errors/market-error.js';
import type { FailureKind } from './transport/transport.js';

/** What a caller adds to the log lines and spans of one call: `{ orderId: 'A-1001' }`. */
export type ContextFields = Readonly<Record<string, string | number | boolean | undefined>>;

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
  /** The call's `context`, if it was passed one. */
  readonly context?: ContextFields | undefined;
  /** Attempts that were started, the first included. */
  attempts?: number;
  /** The nonce of each attempt, for the service's support. */
  nonces?: readonly string[];
  /** Status of the response to the last attempt, if there was one. */
  status?: number | undefined;
  /** The service's identifier of the last attempt, if it gave one. */
  requestId?: string | undefined;
  /** The Idempotency-Key, if one is sent; known from the start. */
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
  /** The call's `context`, if it was passed one. */
  readonly context?: ContextFields | undefined;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds that were waited before it: back-off, Retry-After. */
  readonly delayMs: number;
  /** The nonce that it was signed with, for the service's support. */
  readonly nonce: string;
  /** Status of the response, if there was one. */
  status?: number | undefined;
  /** The service's identifier of the attempt, if it gave one. */
  requestId?: string | undefined;
  /** Why there was no complete response. */
  failure?: AttemptFailure;
  /** The failure and its causes in words. */
  error?: unknown;
}

/**
 * What an attempt without a complete response ended with. On this side: `'timeout'` ran out, or an `'abort'`.
 * On the wire: `'not_sent'` (the service cannot have acted), `'connection_lost'` (it may have), `'too_large'`
 * (longer than any response of this API), or `'unknown'` (no failure of a network).
 */
export type AttemptFailure = 'timeout' | 'abort' | FailureKind;

/** A call to trace. */
export interface TracedCall {
  /** The facts of the call. Those of its end are there when `run` has settled. */
  readonly span: CallSpan;
  /** The service's origin: `https://market.example`. */
  readonly origin: string;
  /** The credential's environment, if its key id shows one. */
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

/** The part of a tracing that surrounds the calls of the client and their attempts. */
export interface ClientTracing {
  /** Runs a call, in its span's context. Calls `run` once, before it returns. */
  call(call: TracedCall, run: () => Promise<unknown>): unknown;
  /** Runs an attempt. `headers` are added to its request, such as `traceparent`. */
  attempt?(
    attempt: TracedAttempt,
    run: (headers?: Readonly<Record<string, string>>) => Promise<unknown>,
  ): unknown;
}
