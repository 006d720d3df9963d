/**
 * Deadlines: one timer for all deliveries of a handler. They have the same time limit, so they expire
 * in the order in which they were added. One timer per delivery would cost more than the rest of its
 * bookkeeping.
 */

/** Something with a deadline. */
export interface Expirable {
  /** When it expires, by `performance.now()`. */
  dueMs: number;
  expire(): void;
}

export class Deadlines {
  readonly #timeoutMs: number;
  /** In the order in which they were added, which is the order in which they expire. */
  readonly #pending = new Set<Expirable>();
  /** An object on Node and Bun, a number elsewhere. */
  #timer: NodeJS.Timeout | number | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Sets `dueMs`, and calls `expire` at that time unless it is removed before. */
  add(expirable: Expirable): void {
    expirable.dueMs = performance.now() + this.#timeoutMs;
    const isFirst = this.#pending.size === 0;
    this.#pending.add(expirable);
    if (this.#timer === undefined) this.#timer = setTimeout(this.#expireDue, this.#timeoutMs);
    else if (isFirst && typeof this.#timer === 'object') this.#timer.ref();
  }

  remove(expirable: Expirable): void {
    if (!this.#pending.delete(expirable) || this.#pending.size > 0) return;
    // A running timer would keep an idle process alive. Where possible it is only unreferenced:
    // creating a new one for each delivery takes a tenth of the delivery's CPU time.
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
    for (const oldest of this.#pending) {
      if (oldest.dueMs > nowMs) {
        this.#timer = setTimeout(this.#expireDue, oldest.dueMs - nowMs + 1);
        return;
      }
      this.#pending.delete(oldest);
      oldest.expire();
    }
  };
}
