/** VirtualTime and fakeSleep: what a client gets for clock, sleep and random, so that no test waits. */

// Captured before a test fakes the timers: a sleep must yield even then.
const macrotask = setImmediate;

/**
 * A sleep that takes no time. It yields a macrotask: a loop of microtasks would starve the timer of
 * testTimeout, and a client that retries for ever would hang the suite instead of failing a test.
 */
export function fakeSleep(onSleep: (ms: number) => unknown = () => undefined) {
  return async (ms: number): Promise<void> => {
    await onSleep(ms);
    await new Promise<void>((resolve) => macrotask(resolve));
  };
}

export class VirtualTime {
  /** Milliseconds since the Unix epoch. */
  nowMs: number;
  /** Every sleep, in order. */
  readonly slept: number[] = [];
  /** The jitter's random number: 0 makes every back-off 0, so that waits are exact. */
  random = 0;

  constructor(startMs: number = Date.UTC(2026, 10, 21, 8, 0, 0)) {
    this.nowMs = startMs;
  }

  /** The options of a client that lives in this time. */
  get options() {
    return {
      clock: () => this.nowMs,
      random: () => this.random,
      sleep: fakeSleep((ms) => {
        this.slept.push(ms);
        this.nowMs += ms;
      }),
    };
  }
}
