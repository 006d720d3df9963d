/** Time that passes only when something sleeps: what a client is given as clock, sleep and random. */

export class VirtualTime {
  /** Milliseconds since the Unix epoch. */
  nowMs: number;
  /** Every sleep that was asked for, in order. */
  readonly slept: number[] = [];
  /** What jitter is drawn from: 0 gives no back-off at all, so that waits are exact. */
  random = 0;

  constructor(startMs: number = Date.UTC(2026, 10, 21, 8, 0, 0)) {
    this.nowMs = startMs;
  }

  /** The options of a client that lives in this time. */
  get options() {
    return {
      clock: () => this.nowMs,
      random: () => this.random,
      sleep: (ms: number) => {
        this.slept.push(ms);
        this.nowMs += ms;
        return Promise.resolve();
      },
    };
  }
}
