/** Timeouts: a signal that fires after a time, and work that ends with it. */

import { raceWithAbort } from './signals.js';
import type { Time } from './sleep.js';

/**
 * A signal that fires after `ms`, unless it is cleared before; `clear` waits for the sleep to end.
 *
 * @param reason - creates the signal's reason
 */
export function startTimeout(
  time: Time,
  ms: number,
  reason?: () => Error,
): { readonly signal: AbortSignal; readonly clear: () => Promise<void> } {
  const [timeout, cleared] = [new AbortController(), new AbortController()];
  const slept = time.sleep(ms, cleared.signal).then(() => {
    if (!cleared.signal.aborted) timeout.abort(reason?.());
  });
  const clear = () => {
    cleared.abort();
    return slept;
  };
  return { signal: timeout.signal, clear };
}

/** Runs `work` with the signal of a timeout, which is cleared when `work` has ended. */
export async function withTimeout<T>(
  time: Time,
  ms: number,
  work: (timeout: AbortSignal) => Promise<T>,
  reason?: () => Error,
): Promise<T> {
  const { signal, clear } = startTimeout(time, ms, reason);
  try {
    return await work(signal);
  } finally {
    await clear();
  }
}

/** Runs `work` like {@link withTimeout}, and rejects after `ms` even if it goes on. */
export function runWithin<T>(
  time: Time,
  ms: number,
  work: (timeout: AbortSignal) => T | PromiseLike<T>,
  reason?: () => Error,
): Promise<T> {
  // A synchronous throw is a rejection, too.
  const run = async (timeout: AbortSignal) => await work(timeout);
  return withTimeout(time, ms, (timeout) => raceWithAbort(run(timeout), timeout), reason);
}
