/** `backoffMs`: the wait before the next attempt. */

/** How often and how soon a failed attempt is retried. */
export interface RetryPolicy {
  /** Attempts before a dead letter. Default: 12. */
  readonly maxAttempts?: number | undefined;
  /** The first wait is random up to this, in milliseconds. Default: 1,000. */
  readonly baseMs?: number | undefined;
  /** Waits double up to this, in milliseconds. Default: 900,000. */
  readonly maxMs?: number | undefined;
}

/** Exponential with full jitter: processes that failed together do not retry together. */
export function backoffMs(
  attempt: number,
  { baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number },
  random: () => number,
): number {
  return Math.round(Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 40)) * random());
}
