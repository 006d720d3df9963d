/**
 * RequestGate: bounds how many requests of a transport run at once. undici's own bound dispatches a
 * request that waited in the async context of another one, and traces would name the wrong caller.
 */

import { AsyncResource } from 'node:async_hooks';

export class RequestGate {
  readonly #limit: number;
  #running = 0;
  /** Places that are freed in the next turn. One immediate for all: one each takes 15 % of a call. */
  #leaving = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs `start` now, or later in the async context of this call. It takes a place that
   * {@link leave} frees.
   *
   * @returns what takes it out of the queue; `undefined` where it ran.
   */
  enter(start: () => void): (() => void) | undefined {
    if (this.#running < this.#limit) {
      this.#running += 1;
      start();
      return undefined;
    }
    const context = new AsyncResource('RequestGate', { requireManualDestroy: true });
    const entry = () => context.runInAsyncScope(start);
    this.#waiting.add(entry);
    return () => this.#waiting.delete(entry);
  }

  /** Frees a place once the socket can be used again: before that, undici would open another one. */
  leave(): void {
    this.#leaving += 1;
    if (this.#leaving === 1) setImmediate(this.#afterThisTurn);
  }

  /** undici readies a socket in an immediate of the same turn: the one that is set here comes later. */
  readonly #afterThisTurn = (): void => {
    const freed = this.#leaving;
    this.#leaving = 0;
    setImmediate(() => {
      for (let place = 0; place < freed; place += 1) this.#next();
    });
  };

  #next(): void {
    for (const start of this.#waiting) {
      this.#waiting.delete(start);
      start();
      return;
    }
    this.#running -= 1;
  }
}
