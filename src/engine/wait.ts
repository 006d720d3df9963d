/** Waiting that ends at once when the caller's signal fires, and leaves no timer or listener behind. */

import type { Sleep } from '../options.js';

/** @throws the signal's reason. */
export async function wait(
  ms: number,
  signal: AbortSignal | undefined,
  sleep: Sleep = sleepOnTimer,
): Promise<void> {
  // The sleeper gets a signal of our own: it is released when the wait is over, either way.
  const controller = new AbortController();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal?.reason as Error);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort);
  });
  try {
    await Promise.race([sleep(ms, controller.signal), aborted]);
  } finally {
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

function sleepOnTimer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
