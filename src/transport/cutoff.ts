/**
 * The end of an attempt from this side: its time is over, or the caller gave up. An AbortController
 * does the same for ten times the cost, and every attempt needs one.
 */
export class Cutoff {
  #fired: { readonly reason: unknown } | undefined;
  #listener: (() => void) | undefined;

  get fired(): boolean {
    return this.#fired !== undefined;
  }

  /** What it was fired with. */
  get reason(): unknown {
    return this.#fired?.reason;
  }

  fire(reason: unknown): void {
    if (this.#fired !== undefined) return;
    this.#fired = { reason };
    this.#listener?.();
  }

  /** Who is told; at once, if it has fired. There is one listener: the transport that sends. */
  whenFired(listener: () => void): void {
    this.#listener = listener;
    if (this.fired) listener();
  }

  /** Nobody needs to be told any more. */
  release(): void {
    this.#listener = undefined;
  }
}
