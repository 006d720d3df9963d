/**
 * Places: how many requests undici may have at once. One that undici puts into a queue of its own is
 * dispatched in the async context of another call, and traces would name the wrong caller.
 */

import { AsyncResource } from 'node:async_hooks';
import { afterTurn } from '../../core/time/after-turn.js';

interface Entry {
  start: (() => void) | undefined;
}

export class Places {
  #free: number;
  /** An array: the garbage of a `Set` that fills and empties takes a fifth of a call's time. */
  readonly #waiting: Entry[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Takes a place, now or later, and calls `start` in the async context of this call.
   *
   * @returns forgets a call that still waits: an outage may keep many of them waiting.
   */
  enter(start: () => void): () => void {
    if (this.#free > 0) {
      this.#free -= 1;
      start();
      return () => undefined;
    }
    const context = new AsyncResource('Places', { requireManualDestroy: true });
    // undici frees a connection in the turn after its response.
    const startLater = () => afterTurn(() => afterTurn(start));
    const entry: Entry = { start: () => context.runInAsyncScope(startLater) };
    this.#waiting.push(entry);
    return () => {
      entry.start = undefined;
    };
  }

  /** Once for each place that was taken. */
  leave(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.start !== undefined) {
        next.start();
        return;
      }
    }
    this.#free += 1;
  }
}
