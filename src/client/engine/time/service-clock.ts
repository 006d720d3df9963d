/** ServiceClock: the machine's clock, corrected by the Date of the service's responses. */

import type { Clock } from '../../options/clock.js';

export class ServiceClock {
  readonly #now: Clock;
  #offsetMs = 0;

  constructor(now: Clock) {
    this.#now = now;
  }

  nowMs(): number {
    return this.#now() + this.#offsetMs;
  }

  /** Sets the clock by the Date of a response. */
  correct(dateMs: number): void {
    this.#offsetMs = dateMs - this.#now();
  }
}
