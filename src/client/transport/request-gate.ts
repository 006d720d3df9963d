/**
 * RequestGate: keeps the requests that undici has no socket for. undici's own queue dispatches a
 * request in the async context of another one, and traces would name the wrong caller.
 */

import { AsyncResource } from 'node:async_hooks';

export class RequestGate {
  #open = true;
  /** An array: the garbage of a `Set` that fills and empties takes a fifth of a call's time. */
  readonly #waiting: (() => boolean)[] = [];

  /**
   * Calls `dispatch` now, or later in the async context of this call. Its result is undici's:
   * `false` closes the gate until {@link drain}.
   */
  enter(dispatch: () => boolean): void {
    if (this.#open) {
      this.#open = dispatch();
      return;
    }
    const context = new AsyncResource('RequestGate', { requireManualDestroy: true });
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
