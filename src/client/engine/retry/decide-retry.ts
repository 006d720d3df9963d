/**
 * decideRetry: whether a failed attempt is followed by another, and when. A pure function, the
 * table of docs/client.md in code. It knows no clock and no network.
 */

import { isTransient } from '../../responses/parse-response.js';
import type { ErrorResponse, FailedAttempt } from './attempt-result.js';

/** What the decision needs to know about the call so far. */
export interface RetryState {
  /** The call's column of the table: whether a repeat after an unknown outcome does no harm. */
  readonly repeatable: boolean;
  /** Attempts that failed so far, the one that just ended included. A wait that the service asked for is no failure. */
  readonly failures: number;
  readonly maxRetries: number;
  /** Corrections are made once in a call: a second error of the same kind is final. */
  readonly clockCorrected: boolean;
  readonly nonceReplaced: boolean;
  /** The response refused a credential, and there is another that the call has not tried. */
  readonly hasUntriedCredential: boolean;
  /** Milliseconds left of the call's deadline. */
  readonly remainingMs: number;
  /** How many of them the next attempt needs at least. */
  readonly leastMs: number;
  /** The jittered back-off that would be waited. */
  readonly backoffMs: number;
  readonly budgetAllows: boolean;
  /** The longest wait for a rate limit before one call probes. */
  readonly maxRateLimitHoldMs: number;
}

export type Decision =
  | {
      readonly retry: true;
      readonly delayMs: number;
      readonly reason: RetryReason;
      /** What it costs besides time. `'paced'`: nothing, and the pacer waits. */
      readonly cost: 'budget' | 'nothing' | 'paced';
    }
  | { readonly retry: false; readonly reason: StopReason };

export type RetryReason =
  'not_sent' | 'connection_lost' | 'server_error' | 'rate_limited' | Correction;

/** It follows an error that says what to change: no wait, nothing from the budget. */
type Correction = 'clock' | 'nonce' | 'credential';

export type StopReason =
  'not_retryable' | 'not_repeatable' | 'no_retries_left' | 'no_budget' | 'no_time';

export function decideRetry(result: FailedAttempt, state: RetryState): Decision {
  const rule = ruleFor(result, state);
  if (typeof rule === 'string') return { retry: false, reason: rule };
  const { reason, atLeastMs = 0 } = rule;
  const isCorrection = ['clock', 'nonce', 'credential'].includes(reason);
  const isWait = isAskedWait(result);
  // With `maxRetries: 0` a call is sent once, whatever the response.
  if (state.maxRetries === 0 || (!isWait && state.failures > state.maxRetries)) {
    return { retry: false, reason: 'no_retries_left' };
  }
  const isFree = isCorrection || isWait;
  if (!isFree && !state.budgetAllows) return { retry: false, reason: 'no_budget' };
  const isPaced = isWait && reason === 'rate_limited';
  const delayMs = isCorrection ? 0 : atLeastMs + (isPaced ? 0 : state.backoffMs);
  if (delayMs >= state.remainingMs || delayMs + state.leastMs > state.remainingMs) {
    return { retry: false, reason: 'no_time' };
  }
  return { retry: true, delayMs, reason, cost: isPaced ? 'paced' : isFree ? 'nothing' : 'budget' };
}

/** The service says when to come back: no failure, so only the deadline bounds it. */
export function isAskedWait(result: FailedAttempt): boolean {
  if (result.kind !== 'error_response') return false;
  const { rateLimited, status, retryAfterMs = 0 } = result;
  // "At once" is no time: without a back-off it would be a loop.
  return (rateLimited || status === 503) && retryAfterMs > 0;
}

type RetryRule =
  | { readonly reason: RetryReason; readonly atLeastMs?: number | undefined }
  | 'not_retryable'
  | 'not_repeatable';

function ruleFor(result: FailedAttempt, state: RetryState): RetryRule {
  switch (result.kind) {
    case 'aborted':
    case 'unexpected_response':
      return 'not_retryable';
    case 'not_sent':
      return result.error.retryable ? { reason: 'not_sent' } : 'not_retryable';
    case 'connection_lost':
      return result.error.retryable ? ruleForLostConnection(state) : 'not_retryable';
    case 'timeout':
      if (result.limit === 'deadline') return 'not_retryable';
      // A connection that was not made in time may be made in the next attempt.
      return result.sent ? ruleForLostConnection(state) : { reason: 'not_sent' };
    case 'error_response':
      return ruleForErrorResponse(result, state);
  }
}

function ruleForLostConnection({ repeatable }: RetryState): RetryRule {
  return repeatable ? { reason: 'connection_lost' } : 'not_repeatable';
}

function ruleForErrorResponse(response: ErrorResponse, state: RetryState): RetryRule {
  const { status, code, retryAfterMs } = response;
  if (code === 'invalid_timestamp') {
    const correctable = response.serverDateMs !== undefined && !state.clockCorrected;
    return correctable ? { reason: 'clock' } : 'not_retryable';
  }
  if (code === 'replay_detected') {
    if (!state.repeatable) return 'not_repeatable';
    return state.nonceReplaced ? 'not_retryable' : { reason: 'nonce' };
  }
  // The request was not worked on: any call may be sent again.
  if (state.hasUntriedCredential) return { reason: 'credential' };
  if (response.rateLimited) {
    const atLeastMs = Math.min(retryAfterMs ?? 0, state.maxRateLimitHoldMs);
    return { reason: 'rate_limited', atLeastMs };
  }
  if (!isTransient(status)) return 'not_retryable';
  // It can come after the work was done, internal_error too: a second refund would pay twice.
  return state.repeatable ? { reason: 'server_error', atLeastMs: retryAfterMs } : 'not_repeatable';
}
