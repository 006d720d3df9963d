/** `FreshSales`: the sales that this process has just added, of which alone it knows that nobody has sent them. */

import { startAge, type Time } from '../../core/time/sleep.js';
import type { StoredIntent } from './stored-intent.js';

/**
 * A restored database, or a standby without the last commits, shows a sale as it was before it was sent: with no
 * claim. What this process has taken itself it knows, but not what another one took: the time is shorter than any
 * fail-over. A worker claims what was added within milliseconds; what waits for longer is only looked up first.
 */
const freshMs = 5_000;

export class FreshSales {
  readonly #time: Time;
  readonly #added = new Map<string, { readonly addedAt: number; readonly age: () => number }>();

  constructor(time: Time) {
    this.#time = time;
  }

  /** Before it is stored: a worker may claim it at once. */
  add({ key, addedAt }: StoredIntent): void {
    for (const [each, { age }] of this.#added) {
      if (age() < freshMs) break;
      this.#added.delete(each);
    }
    this.#added.set(key, { addedAt, age: startAge(this.#time) });
  }

  delete(key: string): void {
    this.#added.delete(key);
  }

  /** Whether it was stored by this process, is young, and was not taken since. */
  has({ key, addedAt }: StoredIntent): boolean {
    const added = this.#added.get(key);
    return added?.addedAt === addedAt && added.age() < freshMs;
  }

  /** `has`, once: a second first claim is of a database that has lost the first. */
  take(intent: StoredIntent): boolean {
    const isFresh = this.has(intent);
    this.#added.delete(intent.key);
    return isFresh;
  }
}
