/** What a failed attempt comes to, in the words of the retry table. */

import type { AttemptResult } from './attempt.js';
import type { Happening } from './retry.js';
import { parseRetryAfter } from './retry-after.js';
import { answerDateMs } from './service-clock.js';

/** An attempt that did not succeed. */
export type FailedAttempt = Exclude<AttemptResult, { kind: 'success' }>;

/**
 * @param nowMs - the service's time, for a Retry-After that is a date.
 * @param lastOfDeadline - whether the attempt had only what was left of the call's deadline.
 */
export function happeningOf(
  result: FailedAttempt,
  nowMs: number,
  lastOfDeadline: boolean,
): Happening {
  if (result.kind === 'stranger') return { kind: 'final' };
  if (result.kind === 'refusal') {
    const { status, code, headers } = result;
    const mayAskToWait = status === 429 || status === 503 || code === 'rate_limited';
    return {
      kind: 'answer',
      status,
      code,
      retryAfterMs: mayAskToWait
        ? parseRetryAfter(headers['retry-after'], answerDateMs(headers) ?? nowMs)
        : undefined,
      dateUsable: answerDateMs(headers) !== undefined,
    };
  }
  const { failure, cut } = result;
  if (cut === 'abort' || (cut === 'time' && lastOfDeadline)) return { kind: 'final' };
  if (failure.kind === 'not_sent') {
    // A connection that was not made in time may be made in the next attempt.
    return { kind: 'not_sent', retriable: failure.retriable || cut === 'time' };
  }
  return failure.kind === 'broken' || cut === 'time' ? { kind: 'broken' } : { kind: 'final' };
}
