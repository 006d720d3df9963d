/** Helpers for `AbortSignal`. */

import type { Time } from './time.js';

/** Rejects as soon as the signal fires: what cannot be ended must not be waited for. */
export function raceWithAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    const forget = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(forget);
  });
}

/** TypeScript takes a signal that was not aborted before an await for one that never is. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

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
