/** Why this side ended an attempt. */
type CancelCause = 'timeout' | 'abort';

/**
 * The end of an attempt from this side: it timed out, or the caller gave up. An AbortController
 * does the same for ten times the cost, and every attempt needs one.
 */
export class Cancellation {
  #cancelled: { readonly cause: CancelCause; readonly reason: unknown } | undefined;
  #listener: (() => void) | undefined;
  /** Counts the steps of the request: its start, then each part of its response. */
  progress = 0;

  /** Which of the two it was, once it has fired. */
  get cause(): CancelCause | undefined {
    return this.#cancelled?.cause;
  }

  /** What it was fired with. */
  get reason(): unknown {
    return this.#cancelled?.reason;
  }

  /** The first one counts. */
  cancel(cause: CancelCause, reason: unknown): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { cause, reason };
    this.#listener?.();
  }

  /** Calls the listener once it has fired, or now. There is one: the transport that sends. */
  onCancel(listener: () => void): void {
    this.#listener = listener;
    if (this.#cancelled !== undefined) listener();
  }
}
