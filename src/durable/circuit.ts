/** `Circuit`: tells a cause that all callbacks share from one of a single job, and waits the shared one out. */

import { isAborted, withAnySignal } from '../core/time/signals.js';
import { startAge, type Time } from '../core/time/sleep.js';
import type { WorkOptions } from './queue/engine.js';

/** Shorter troubles end while the usual retries wait. */
const pauseAfterMs = 60_000;
const pauseMs = 60_000;
const shortestRestMs = 100;
/** So that a job that failed is not in the way of those that were not tried, nor waits long once the cause is gone. */
const longestTurnMs = 900_000;

/** What a failure says. */
interface Failure {
  /** Whether it counts against its job: others have succeeded since it failed before, or within the last minute. */
  readonly counts: boolean;
  /** Whether it began the pause. */
  readonly opened: boolean;
  /** The least wait before the job's next attempt. */
  readonly leastMs: number;
}

export class Circuit {
  readonly #time: Time;
  /** "callback" or "listener". */
  readonly #noun: string;
  #successes = 0;
  #successAge = () => Infinity;
  /** Jobs that have failed since they last succeeded, with the number of successes by then. */
  readonly #failing = new Map<string, number>();
  /** For how long nothing has succeeded, since the first failure after it. */
  #failingFor: (() => number) | undefined;
  /** How long ago the current pause began: a clock that is set back must not prolong it. */
  #pauseAge: (() => number) | undefined;
  /** Aborted and replaced when the circuit opens, closes, or begins another pause. */
  #change = new AbortController();

  constructor(time: Time, noun: string) {
    this.#time = time;
    this.#noun = noun;
  }

  /** Works at full concurrency; while the circuit is open, tries one job after each pause. */
  async work(work: (options: WorkOptions) => Promise<void>, options: WorkOptions): Promise<void> {
    const { signal, untilIdle = false } = options;
    while (!isAborted(signal)) {
      if (this.#waitMs > 0) {
        if (untilIdle) return;
        await this.#time.sleep(this.#waitMs, signal);
      }
      const concurrency = this.#isOpen ? 1 : options.concurrency;
      const change = this.#change.signal;
      await withAnySignal(signal, change, (untilChange) =>
        work({ ...options, concurrency, signal: untilChange }),
      );
      // Nothing is due any longer, unless the circuit changed meanwhile, even if it changed back.
      if (untilIdle && !isAborted(change)) return;
    }
  }

  /** Any success ends the pause. */
  recordSuccess(id: string): void {
    this.#successes += 1;
    this.#successAge = startAge(this.#time);
    this.#failing.delete(id);
    this.#failingFor = undefined;
    if (this.#isOpen) this.#setPause(undefined);
  }

  recordFailure(id: string): Failure {
    const before = this.#failing.get(id);
    const counts =
      before === undefined ? this.#successAge() < pauseAfterMs : this.#successes > before;
    this.#failing.delete(id);
    this.#failing.set(id, this.#successes);
    if (this.#failing.size > mostRemembered) this.#forgetFirst();
    this.#failingFor ??= startAge(this.#time);
    const wasOpen = this.#isOpen;
    if (wasOpen || this.#failingFor() >= pauseAfterMs) this.#setPause(startAge(this.#time));
    const opened = this.#isOpen && !wasOpen;
    // What costs no attempt must not be repeated without a rest.
    const restMs = counts ? 0 : shortestRestMs;
    return { counts, opened, leastMs: this.#isOpen ? this.#turnMs : restMs };
  }

  /** A job that has ended in another way. */
  forget(id: string): void {
    this.#failing.delete(id);
  }

  /** Why only one job a minute is tried; `null` if all are. */
  get reason(): string | null {
    if (!this.#isOpen) return null;
    return (
      `Paused: no ${this.#noun} has succeeded for over a minute. ` +
      'One is tried each minute until one succeeds; the others wait, and lose no attempt.'
    );
  }

  get #isOpen(): boolean {
    return this.#pauseAge !== undefined;
  }

  get #waitMs(): number {
    return this.#pauseAge === undefined ? 0 : Math.max(0, pauseMs - this.#pauseAge());
  }

  /** Until the others that fail had their turn. */
  get #turnMs(): number {
    return Math.min(pauseMs * (this.#failing.size + 0.5), longestTurnMs);
  }

  #forgetFirst(): void {
    const [first = ''] = this.#failing.keys();
    this.#failing.delete(first);
  }

  #setPause(age: (() => number) | undefined): void {
    this.#pauseAge = age;
    this.#change.abort();
    this.#change = new AbortController();
  }
}

const mostRemembered = 10_000;
