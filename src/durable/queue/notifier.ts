/** `Notifier`: wakes a waiting loop, and remembers a notification that came while the loop was busy. */

import type { Time } from '../../core/time/sleep.js';

export class Notifier {
  #isNotified = false;
  #waiting: AbortController | undefined;

  notify(): void {
    this.#isNotified = true;
    this.#waiting?.abort();
  }

  /** Resolves at `notify`, at once if it came before, or after `ms`. */
  async wait(ms: number, sleep: Time['sleep']): Promise<void> {
    if (!this.#isNotified) {
      this.#waiting = new AbortController();
      await sleep(ms, this.#waiting.signal);
    }
    this.#isNotified = false;
  }
}

export function notifyAll(notifiers: Iterable<Notifier>): void {
  for (const notifier of notifiers) notifier.notify();
}
