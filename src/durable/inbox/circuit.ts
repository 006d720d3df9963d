/** `Circuit`: pauses handling when one event after the other becomes a dead letter. */

import type { Time } from '../queue/time.js';

/** More than one bad sale would explain: the listeners themselves are broken. */
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

  /** Until one event may be tried. */
  get waitMs(): number {
    return Math.max(0, (this.#openUntil ?? 0) - this.#clock());
  }

  /** Any event that is handled ends the pause. */
  handled(): void {
    this.#deadInARow = 0;
    if (!this.isOpen()) return;
    this.#openUntil = undefined;
    this.#opening = new AbortController();
  }

  failed(): void {
    if (this.isOpen()) this.#openUntil = this.#clock() + pauseMs;
  }

  /** @returns Whether this dead letter opened the circuit. */
  died(): boolean {
    this.#deadInARow += 1;
    const opens = !this.isOpen() && this.#deadInARow >= mostInARow;
    if (opens || this.isOpen()) this.#openUntil = this.#clock() + pauseMs;
    if (opens) this.#opening.abort();
    return opens;
  }

  /** Why nothing is handled for now. */
  get reason(): string | null {
    if (!this.isOpen()) return null;
    return `${this.#deadInARow} events in a row became dead letters: one a minute is tried until one is handled.`;
  }
}
