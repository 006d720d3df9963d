/** The clock and the timers of the durable part. */

/** Where time comes from. Tests pass their own and need no waiting. */
export interface TimeOptions {
  /** Milliseconds since the Unix epoch. Default: the machine's clock. */
  readonly clock?: (() => number) | undefined;
  /** Waits for `ms`, or until the signal fires; resolves either way. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface Time {
  readonly clock: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function resolveTime({ clock, sleep }: TimeOptions): Time {
  return { clock: clock ?? (() => Date.now()), sleep: sleep ?? sleepUntil };
}

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

function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestTimerMs));
    signal.addEventListener('abort', end);
  });
}
