/** sleep, pause and the sources of time: what waits, here and in the other folders, waits with these. */

import { onAbort, raceWithAbort, reasonOf } from './signals.js';

/** Where time comes from. Tests pass their own and need no waiting. */
export interface TimeOptions {
  /** Milliseconds since the Unix epoch. Default: the machine's clock. */
  readonly clock?: (() => number) | undefined;
  /**
   * Waits for `ms`, or until the signal fires; resolves either way. Time limits and intervals wait with it: if it
   * returns at once while `clock` stands still, they take their real time.
   */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface Time {
  readonly clock: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Looked up at each use: a test may replace `Date` and the timers after this was loaded. */
export const systemTime: Time = { clock: () => Date.now(), sleep };

export function resolveTime({ clock = systemTime.clock, sleep: given }: TimeOptions): Time {
  if (given === undefined) return { clock, sleep: systemTime.sleep };
  return {
    clock,
    sleep: async (ms, signal) => {
      const [beganAt, mark] = [clock(), performance.now()];
      await given(ms, signal);
      // A clock that was set back meanwhile has moved, too.
      const sleptMs = Math.max(Math.abs(clock() - beganAt), performance.now() - mark);
      if (sleptMs >= Math.min(ms, shortestMs) || signal.aborted) return;
      await systemTime.sleep(ms - sleptMs, signal);
    },
  };
}

/**
 * A `sleep` that returns sooner, such as `async () => {}` of a test, would fire each time limit at once and let
 * each loop spin: what is left passes in real time.
 */
const shortestMs = 100;

/**
 * How many milliseconds ago this was called. A clock that was set back shows too few, and a monotonic one
 * does not count a machine's sleep: the longer of the two is believed.
 */
export function startAge({ clock }: Pick<Time, 'clock'>): () => number {
  const startedAt = clock();
  const mark = performance.now();
  return () => Math.max(clock() - startedAt, performance.now() - mark);
}

/** setTimeout() overflows above this and would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits for `ms`, or until the signal fires; resolves either way. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestTimerMs));
    const stopListening = onAbort(signal, end);
  });
}

/** Registers what ends a pause early. @returns what ends the registration. */
export type Wake = (listener: () => void) => () => void;

interface PauseOptions {
  readonly sleep?: Time['sleep'] | undefined;
  readonly wake?: Wake | undefined;
}

/**
 * Waits for `ms`; leaves no timer or listener behind.
 *
 * @param signals - the first that fires ends the pause
 * @returns whether it was woken before its time
 * @throws the signal's reason
 */
export async function pause(
  ms: number,
  signals: readonly (AbortSignal | undefined)[] = [],
  { sleep: wait = sleep, wake }: PauseOptions = {},
): Promise<boolean> {
  for (const signal of signals) if (signal?.aborted === true) throw reasonOf(signal);
  // A signal of our own: it aborts when the pause has ended, so that the sleeper can release its timer.
  const ended = new AbortController();
  const cleanups = [() => ended.abort()];
  const sleepInFull = async () => {
    await wait(ms, ended.signal);
    return false;
  };
  const woken = new Promise<boolean>((resolve) => {
    if (wake !== undefined) cleanups.push(wake(() => resolve(true)));
  });
  try {
    return await raceWithAbort(Promise.race([sleepInFull(), woken]), ...signals);
  } finally {
    for (const cleanup of cleanups) cleanup();
  }
}
