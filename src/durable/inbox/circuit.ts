/** `Circuit`: pauses handling when one event after another becomes a dead letter. */

import { isAborted, withAnySignal } from '../../core/time/signals.js';
import type { WorkOptions } from '../queue/engine.js';
import { startAge, type Time } from '../../core/time/sleep.js';

/** No single bad sale causes 20 in a row, so the listener itself must be broken. */
const mostInARow = 20;
const pauseMs = 60_000;

export class Circuit {
  readonly #time: Time;
  #deadInARow = 0;
  /** How long ago the current pause began: a clock that is set back must not prolong it. */
  #pauseAge: (() => number) | undefined;
  /** Aborted and replaced when the circuit opens, closes, or begins another pause. */
  #change = new AbortController();

  constructor(time: Time) {
    this.#time = time;
  }

  /** Works at full concurrency; while the circuit is open, tries one event after each pause. */
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

  /** Any event that is handled ends the pause. */
  recordSuccess(): void {
    this.#deadInARow = 0;
    if (this.#isOpen) this.#setPause(undefined);
  }

  recordFailure(): void {
    if (this.#isOpen) this.#setPause(startAge(this.#time));
  }

  /** @returns Whether this dead letter opened the circuit. */
  recordDeadLetter(): boolean {
    this.#deadInARow += 1;
    const wasOpen = this.#isOpen;
    if (wasOpen || this.#deadInARow >= mostInARow) {
      this.#setPause(startAge(this.#time));
    }
    return this.#isOpen && !wasOpen;
  }

  /** Why no event is handled at the moment. */
  get reason(): string | null {
    if (!this.#isOpen) return null;
    return (
      `Paused after ${this.#deadInARow} consecutive dead letters. ` +
      'One event per minute is retried until one succeeds.'
    );
  }

  get #isOpen(): boolean {
    return this.#pauseAge !== undefined;
  }

  get #waitMs(): number {
    return this.#pauseAge === undefined ? 0 : Math.max(0, pauseMs - this.#pauseAge());
  }

  #setPause(age: (() => number) | undefined): void {
    this.#pauseAge = age;
    this.#change.abort();
    this.#change = new AbortController();
  }
}
