/** Waiting that ends at once when the caller's signal fires, and leaves no timer or listener behind. */

import type { Sleep } from '../options.js';
import { whenAborted } from './caller-signal.js';

/** @throws the signal's reason. */
export async function wait(
  ms: number,
  signal: AbortSignal | undefined,
  sleep: Sleep = sleepOnTimer,
): Promise<void> {
  signal?.throwIfAborted();
  // The sleeper gets a signal of our own: it is released when the wait is over, either way.
  const controller = new AbortController();
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stopListening = whenAborted(signal, () => reject(signal?.reason as Error));
  });
  try {
    await Promise.race([sleep(ms, controller.signal), aborted]);
  } finally {
    stopListening?.();
    controller.abort();
  }
}

function sleepOnTimer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
