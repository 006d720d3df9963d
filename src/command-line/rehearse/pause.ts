/** Waiting in real time, which is all that a program under rehearsal knows. */

import { setTimeout as sleep } from 'node:timers/promises';

export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  // A signal of its own: many wait at once for the end of one rehearsal.
  const own = signal === undefined ? {} : { signal: AbortSignal.any([signal]) };
  await sleep(milliseconds, undefined, own);
}

/** Waits until a condition holds; `false` if it does not within the time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const endsAt = Date.now() + withinMs;
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 1.5, 500)) {
    if (await condition()) return true;
    if (Date.now() >= endsAt) return false;
    await pause(waitMs, signal);
  }
}
