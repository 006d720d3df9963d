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

/** A signal that fires after `ms`, unless it is cleared before; `clear` waits for the sleep to end. */
export function startTimeout(
  time: Time,
  ms: number,
): { readonly signal: AbortSignal; readonly clear: () => Promise<void> } {
  const [timeout, cleared] = [new AbortController(), new AbortController()];
  const slept = time.sleep(ms, cleared.signal).then(() => {
    if (!cleared.signal.aborted) timeout.abort();
  });
  const clear = () => {
    cleared.abort();
    return slept;
  };
  return { signal: timeout.signal, clear };
}
