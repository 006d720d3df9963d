/** waitUntil and watchLateness: in real time, which is all that a program under rehearsal knows. */

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

const tickMs = 10;

export interface Lateness {
  /** How late this process noticed what happened at a moment that has just passed, in milliseconds. */
  at(moment: number): Promise<number>;
  readonly end: () => void;
}

/** On a busy machine a process runs later than it could: what is due every few milliseconds shows how much. */
export function watchLateness(): Lateness {
  const ticks: { readonly at: number; readonly lateMs: number }[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const at = Date.now();
    ticks.push({ at, lateMs: at - last - tickMs });
    last = at;
  }, tickMs);
  return {
    async at(moment) {
      await pause(2 * tickMs);
      const around = ticks.filter(({ at }) => Math.abs(at - moment) <= 3 * tickMs);
      return Math.max(0, ...around.map(({ lateMs }) => lateMs));
    },
    end: () => clearInterval(timer),
  };
}
