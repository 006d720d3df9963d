/**
 * Deadlines: one timer for all deliveries of a handler. They have the same time limit, so they expire
 * in the order in which they were added. A timer for each costs more than all the rest of a delivery's
 * bookkeeping.
 */

/** Something with a deadline. */
export interface Expirable {
  expire(): void;
}

export class Deadlines {
  readonly #timeoutMs: number;
  /** When each is due; in the order of adding, which is the order of expiry. */
  readonly #dueMs = new Map<Expirable, number>();
  /** An object on Node and Bun, a number elsewhere. */
  #timer: NodeJS.Timeout | number | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Calls `expire` after the time limit, unless it is removed before. Returns when that is. */
  add(expirable: Expirable): number {
    const dueMs = performance.now() + this.#timeoutMs;
    this.#dueMs.set(expirable, dueMs);
    if (this.#timer === undefined) this.#timer = setTimeout(this.#expireDue, this.#timeoutMs);
    else if (typeof this.#timer === 'object') this.#timer.ref();
    return dueMs;
  }

  remove(expirable: Expirable): void {
    if (!this.#dueMs.delete(expirable) || this.#dueMs.size > 0) return;
    // A timer that is held would keep an idle process alive. It is kept where it can be released: a
    // new one for each delivery takes a tenth of the delivery's CPU.
    if (typeof this.#timer === 'object') {
      this.#timer.unref();
    } else {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
  }

  readonly #expireDue = (): void => {
    this.#timer = undefined;
    // Timers may fire up to a millisecond early.
    const nowMs = performance.now() + 1;
    for (const [expirable, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) {
        this.#timer = setTimeout(this.#expireDue, dueMs - nowMs + 1);
        return;
      }
      this.#dueMs.delete(expirable);
      expirable.expire();
    }
  };
}
