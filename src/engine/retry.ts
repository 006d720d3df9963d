/**
 * Whether a failed attempt is followed by another, and when: one pure function, the retry table of
 * docs/retries.md in code. It knows no clock and no network.
 */

/** How an attempt ended, when it did not succeed. */
export type Happening =
  /** It never left. `retriable` is false for what a repeat cannot mend, such as a bad certificate. */
  | { readonly kind: 'not_sent'; readonly retriable: boolean }
  /** It was sent, and no whole answer came: reset, timed out, or the body broke off. */
  | { readonly kind: 'broken' }
  /** The service refused or failed. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly code: string | undefined;
      readonly retryAfterMs: number | undefined;
      /** Whether the answer's Date can correct the clock. */
      readonly dateUsable: boolean;
    }
  /** The caller gave up, the answer is not this API's, or the error is none that is known. */
  | { readonly kind: 'final' };

/** What the decision needs to know of the call so far. */
export interface Progress {
  /** The call's column of the table: whether a repeat after an unknown outcome does no harm. */
  readonly repeatable: boolean;
  /** Attempts so far, the one that just ended included. */
  readonly attempts: number;
  readonly maxRetries: number;
  /** Corrections are made once in a call: a second refusal of the same kind is final. */
  readonly clockCorrected: boolean;
  readonly nonceReplaced: boolean;
  /** Milliseconds left of the call's deadline. */
  readonly remainingMs: number;
  /** The jittered back-off that would be waited. */
  readonly backoffMs: number;
  readonly budgetAllows: boolean;
}

export type Decision =
  | {
      readonly retry: true;
      readonly delayMs: number;
      readonly reason: 'not_sent' | 'broken' | 'server_error' | 'rate_limited' | 'clock' | 'nonce';
    }
  | {
      readonly retry: false;
      readonly because: 'final' | 'not_repeatable' | 'no_retries_left' | 'no_budget' | 'no_time';
    };

export function decideRetry(happening: Happening, progress: Progress): Decision {
  const row = rowOf(happening, progress);
  if (typeof row === 'string') return { retry: false, because: row };
  if (progress.attempts > progress.maxRetries) return { retry: false, because: 'no_retries_left' };

  // The two corrections answer a refusal that says what to change: no wait, nothing from the budget.
  const correction = row.reason === 'clock' || row.reason === 'nonce';
  if (!correction && !progress.budgetAllows) return { retry: false, because: 'no_budget' };
  const delayMs = correction ? 0 : row.atLeastMs + progress.backoffMs;
  if (delayMs >= progress.remainingMs) return { retry: false, because: 'no_time' };
  return { retry: true, delayMs, reason: row.reason };
}

/** Exponential back-off with full jitter: anything from nothing to the bound, which doubles. */
export function backoffMs(attempts: number, random: () => number): number {
  return Math.floor(random() * Math.min(maxBackoffMs, baseBackoffMs * 2 ** (attempts - 1)));
}

export const baseBackoffMs = 500;
const maxBackoffMs = 8_000;

type Row =
  | { reason: Extract<Decision, { retry: true }>['reason']; atLeastMs: number }
  | 'final'
  | 'not_repeatable';

function rowOf(happening: Happening, progress: Progress): Row {
  switch (happening.kind) {
    case 'final':
      return 'final';
    case 'not_sent':
      return happening.retriable ? { reason: 'not_sent', atLeastMs: 0 } : 'final';
    case 'broken':
      return progress.repeatable ? { reason: 'broken', atLeastMs: 0 } : 'not_repeatable';
    case 'answer':
      return answerRow(happening, progress);
  }
}

function answerRow(answer: Extract<Happening, { kind: 'answer' }>, progress: Progress): Row {
  const { status, code } = answer;
  const atLeastMs = answer.retryAfterMs ?? 0;
  if (code === 'invalid_timestamp') {
    const correctable = answer.dateUsable && !progress.clockCorrected;
    return correctable ? { reason: 'clock', atLeastMs: 0 } : 'final';
  }
  if (code === 'replay_detected') {
    if (!progress.repeatable) return 'not_repeatable';
    return progress.nonceReplaced ? 'final' : { reason: 'nonce', atLeastMs: 0 };
  }
  if (code === 'rate_limited' || status === 429) return { reason: 'rate_limited', atLeastMs };
  if (retriableStatuses.has(status)) {
    const refusedBeforeWork = status === 500 && code === 'internal_error';
    return progress.repeatable || refusedBeforeWork
      ? { reason: 'server_error', atLeastMs }
      : 'not_repeatable';
  }
  return 'final';
}

const retriableStatuses = new Set([500, 502, 503, 504]);
