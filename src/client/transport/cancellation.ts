/** Why this side ended an attempt. */
type CancelCause = 'timeout' | 'deadline' | 'abort';

/**
 * What an attempt and its transport tell each other: that the attempt has a connection, and its end from this side,
 * since it timed out or the caller gave up. An AbortController
 * does the same for ten times the cost, and every attempt needs one.
 */
export class Cancellation {
  #cancelled: { readonly cause: CancelCause; readonly reason: unknown } | undefined;
  #listener: (() => void) | undefined;
  isConnected = false;
  /** Whether the request waits in the client's own queue for a connection. */
  isQueued = false;
  readonly #onConnection: (() => void) | undefined;
  /** Counts the steps of the request: its start, then each part of its response. */
  progress = 0;

  /** @param onConnection - called when the request has left the queue for a connection */
  constructor(onConnection?: () => void) {
    this.#onConnection = onConnection;
  }

  /** The transport has a connection for the request, or begins to make one. */
  connected(): void {
    this.isConnected = true;
    this.isQueued = false;
    this.#onConnection?.();
  }

  /** Which of them it was, once it has fired. */
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
