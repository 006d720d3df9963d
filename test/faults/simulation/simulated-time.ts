/**
 * Simulated time for whole programs: timers, `Date.now` and `performance.now` of this process go by
 * it, so that a client runs with its own timers and an hour takes a millisecond.
 */

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
};

export class SimulatedTime {
  static readonly startMs = Date.UTC(2026, 10, 21, 8, 0, 0);
  nowMs = SimulatedTime.startMs;
  /** Milliseconds that the wall clock is ahead of the time that passes; a test lets it jump. */
  clockOffsetMs = 0;
  /** Timers of `setTimeout` that have neither run nor been cleared. */
  openTimeouts = 0;
  readonly #queue: Timer[] = [];

  /** Replaces the process's timers and clocks until {@link uninstall}. */
  install(): void {
    globalThis.setTimeout = ((run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      this.openTimeouts += 1;
      return new SimulatedTimeout(
        this,
        this.after(ms, () => {
          this.openTimeouts -= 1;
          run(...args);
        }),
      );
    }) as never;
    globalThis.clearTimeout = (timeout: unknown) => {
      if (timeout instanceof SimulatedTimeout) timeout.close();
      else real.clearTimeout(timeout as NodeJS.Timeout);
    };
    Date.now = () => this.nowMs + this.clockOffsetMs;
    performance.now = () => this.nowMs - SimulatedTime.startMs;
  }

  uninstall(): void {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    Date.now = real.dateNow;
    performance.now = real.performanceNow;
  }

  /** Runs something after simulated milliseconds. */
  after(ms: number, run: () => void): Timer {
    const dueMs = this.nowMs + Math.max(1, Math.floor(Number.isFinite(ms) ? ms : 1));
    const timer = { dueMs, run };
    // Queues are short: an insertion keeps them sorted.
    const at = this.#queue.findIndex((other) => other.dueMs > dueMs);
    this.#queue.splice(at === -1 ? this.#queue.length : at, 0, timer);
    return timer;
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** @returns whether the timer was still to run. */
  cancel(timer: Timer): boolean {
    const at = this.#queue.indexOf(timer);
    if (at !== -1) this.#queue.splice(at, 1);
    return at !== -1;
  }

  /** Lets time pass until the promise is settled, then gives its value or throws its error. */
  async run<T>(promise: Promise<T>): Promise<T> {
    const state = { settled: false };
    const settle = () => (state.settled = true);
    promise.then(settle, settle);
    for (;;) {
      await microtasks();
      if (state.settled) return promise;
      if (!this.#step()) throw new Error('simulated time is over, and the promise never settles');
    }
  }

  /** Lets time pass until no timer is left. */
  async drain(): Promise<void> {
    do await microtasks();
    while (this.#step());
  }

  #step(): boolean {
    const timer = this.#queue.shift();
    if (timer === undefined) return false;
    // Behind its time, where a test let a sleeping machine skip some.
    this.nowMs = Math.max(this.nowMs, timer.dueMs);
    timer.run();
    return true;
  }
}

/** What `setTimeout` gives in simulated time. */
class SimulatedTimeout {
  readonly #time: SimulatedTime;
  readonly #timer: Timer;

  constructor(time: SimulatedTime, timer: Timer) {
    this.#time = time;
    this.#timer = timer;
  }

  close(): void {
    if (this.#time.cancel(this.#timer)) this.#time.openTimeouts -= 1;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

function microtasks(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve));
}
