/** Why an attempt was given up from this side. */
export type CutoffCause = 'time' | 'abort';

/**
 * The end of an attempt from this side: its time is over, or the caller gave up. An AbortController
 * does the same for ten times the cost, and every attempt needs one.
 */
export class Cutoff {
  #fired: { readonly why: CutoffCause; readonly reason: unknown } | undefined;
  #listener: (() => void) | undefined;

  get fired(): boolean {
    return this.#fired !== undefined;
  }

  /** Which of the two it was, once it has fired. */
  get why(): CutoffCause | undefined {
    return this.#fired?.why;
  }

  /** What it was fired with. */
  get reason(): unknown {
    return this.#fired?.reason;
  }

  /** The first one counts. */
  fire(why: CutoffCause, reason: unknown): void {
    if (this.#fired !== undefined) return;
    this.#fired = { why, reason };
    this.#listener?.();
  }

  /** Who is told; at once, if it has fired. There is one listener: the transport that sends. */
  whenFired(listener: () => void): void {
    this.#listener = listener;
    if (this.fired) listener();
  }
}
