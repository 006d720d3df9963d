/** sleepFor: a sleep that a signal or a wake-up ends, and that leaves no timer or listener behind. */

import type { Sleep } from '../../options/client-options.js';
import { onAbort } from '../../../abort-signals.js';

/** Registers what ends a sleep early. @returns what ends the registration. */
export type Wake = (listener: () => void) => () => void;

/**
 * @returns whether it was woken before its time.
 * @throws the signal's reason.
 */
export async function sleepFor(
  ms: number,
  signal: AbortSignal | undefined,
  sleep: Sleep = sleepOnTimer,
  wake?: Wake,
): Promise<boolean> {
  signal?.throwIfAborted();
  // Our own signal: it aborts when the sleep has ended, so that the sleeper can release its timer.
  const controller = new AbortController();
  const cleanups: (() => void)[] = [];
  const ended = new Promise<boolean>((resolve, reject) => {
    cleanups.push(onAbort(signal, () => reject(signal?.reason as Error)));
    if (wake !== undefined) cleanups.push(wake(() => resolve(true)));
  });
  const sleepInFull = async () => {
    await sleep(ms, controller.signal);
    return false;
  };
  try {
    return await Promise.race([sleepInFull(), ended]);
  } finally {
    for (const cleanup of cleanups) cleanup();
    controller.abort();
  }
}

function sleepOnTimer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
