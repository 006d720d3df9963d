/** waitUntil: in real time, which is all that a program under rehearsal knows. */

import { pause } from '../../core/time/sleep.js';

/** Waits until a condition holds; `false` if it does not within the time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const endsAt = Date.now() + withinMs;
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 1.5, 100)) {
    if (await condition()) return true;
    if (Date.now() >= endsAt) return false;
    await pause(waitMs, [signal]);
  }
}
