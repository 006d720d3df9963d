/**
 * RequestGate: bounds how many requests of a transport run at once. undici's own bound dispatches a
 * request that waited in the async context of another one, and traces would name the wrong caller.
 */

import { AsyncResource } from 'node:async_hooks';

export class RequestGate {
  readonly #limit: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs `start` now, or later in the async context of this call. It takes a place that
   * {@link leave} frees.
   *
   * @returns what takes it out of the queue, while it waits.
   */
  enter(start: () => void): () => void {
    if (this.#running < this.#limit) {
      this.#running += 1;
      start();
      return () => undefined;
    }
    const context = new AsyncResource('RequestGate', { requireManualDestroy: true });
    const entry = () => context.runInAsyncScope(start);
    this.#waiting.add(entry);
    return () => this.#waiting.delete(entry);
  }

  /** Frees a place once the socket can be used again: before that, undici would open another one. */
  leave(): void {
    // undici readies the socket in an immediate that it registers after the handler returns.
    queueMicrotask(() => setImmediate(() => this.#next()));
  }

  #next(): void {
    for (const start of this.#waiting) {
      this.#waiting.delete(start);
      start();
      return;
    }
    this.#running -= 1;
  }
}
