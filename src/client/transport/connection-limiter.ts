/**
 * ConnectionLimiter: keeps the requests that undici has no socket for. undici's own queue dispatches a
 * request in the async context of another one, and traces would name the wrong caller.
 */

import { AsyncResource } from 'node:async_hooks';
import type { Pool } from 'undici';

export class ConnectionLimiter {
  #open = true;
  /** An array: the garbage of a `Set` that fills and empties takes a fifth of a call's time. */
  readonly #waiting: (() => boolean)[] = [];

  /**
   * Calls `dispatch` now, or later in the async context of this call. Its result is undici's:
   * `false` closes the limiter until {@link drain}.
   */
  enter(dispatch: () => boolean): void {
    if (this.#open) {
      this.#open = dispatch();
      return;
    }
    const context = new AsyncResource('ConnectionLimiter', { requireManualDestroy: true });
    this.#waiting.push(() => context.runInAsyncScope(dispatch));
  }

  /** Dispatches the requests that wait, the oldest first, until undici has no socket again. */
  drain(): void {
    this.#open = true;
    while (this.#open) {
      const dispatch = this.#waiting.shift();
      if (dispatch === undefined) return;
      this.#open = dispatch();
    }
  }
}

/** Calls `onRoom` whenever the pool may have a socket for the next request. */
export function watchForRoom(pool: Pool, onRoom: () => void): Pool {
  let hasDrained = false;
  return pool
    .on('drain', () => {
      hasDrained = true;
      onRoom();
    })
    .on('connectionError', () => {
      // undici 7 emits `drain` next. undici 8 does so only for requests in its own queue, and here none are.
      hasDrained = false;
      queueMicrotask(() => {
        if (!hasDrained) onRoom();
      });
    });
}
