/** `Circuit`: pauses handling when one event after another becomes a dead letter. */

import type { Time } from '../queue/time.js';

/** No single bad sale causes 20 in a row, so the listener itself must be broken. */
const mostInARow = 20;
const pauseMs = 60_000;

export class Circuit {
  readonly #clock: Time['clock'];
  #deadInARow = 0;
  #openUntil: number | undefined;
  #opening = new AbortController();

  constructor(clock: Time['clock']) {
    this.#clock = clock;
  }

  /** Fires when the circuit opens. */
  get signal(): AbortSignal {
    return this.#opening.signal;
  }

  isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** How long until one event may be tried. */
  get waitMs(): number {
    return Math.max(0, (this.#openUntil ?? 0) - this.#clock());
  }

  /** Any event that is handled ends the pause. */
  recordSuccess(): void {
    this.#deadInARow = 0;
    if (!this.isOpen()) return;
    this.#openUntil = undefined;
    this.#opening = new AbortController();
  }

  recordFailure(): void {
    if (this.isOpen()) this.#openUntil = this.#clock() + pauseMs;
  }

  /** @returns Whether this dead letter opened the circuit. */
  recordDeadLetter(): boolean {
    this.#deadInARow += 1;
    const opens = !this.isOpen() && this.#deadInARow >= mostInARow;
    if (opens || this.isOpen()) this.#openUntil = this.#clock() + pauseMs;
    if (opens) this.#opening.abort();
    return opens;
  }

  /** Why no event is handled at the moment. */
  get reason(): string | null {
    if (!this.isOpen()) return null;
    return (
      `Paused after ${this.#deadInARow} consecutive dead letters. ` +
      'One event per minute is retried until one succeeds.'
    );
  }
}
