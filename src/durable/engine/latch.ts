/** `Latch`: wakes a waiting loop, and remembers a wake that came while the loop was busy. */

import type { Time } from './time.js';

export class Latch {
  #isSet = false;
  #waiting: AbortController | undefined;

  set(): void {
    this.#isSet = true;
    this.#waiting?.abort();
  }

  /** Resolves when the latch is set, at once if it was set before, or after `ms`. Resets it. */
  async wait(ms: number, sleep: Time['sleep']): Promise<void> {
    if (!this.#isSet) {
      this.#waiting = new AbortController();
      await sleep(ms, this.#waiting.signal);
      this.#waiting.abort();
      this.#waiting = undefined;
    }
    this.#isSet = false;
  }
}
