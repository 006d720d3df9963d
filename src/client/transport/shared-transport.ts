/** A client's way to the service: open until it is closed, and closed only when its calls are done. */

import type { Transport } from './transport.js';

export class SharedTransport {
  readonly transport: Transport;
  /** The one that owns the transport, and closes it. */
  readonly #owner: SharedTransport | undefined;
  #runningCalls = 0;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(transport: Transport, owner?: SharedTransport) {
    this.transport = transport;
    this.#owner = owner;
  }

  /** The same transport for another client: closed by itself, or with the owner of the transport. */
  share(): SharedTransport {
    return new SharedTransport(this.transport, this.#owner ?? this);
  }

  get closed(): boolean {
    return this.#closing !== undefined || this.#owner?.closed === true;
  }

  /** A call begins. One that waits for its next attempt is under way too: {@link close} waits for it. */
  acquire(): void {
    this.#runningCalls += 1;
    this.#owner?.acquire();
  }

  /** A call ended, however it did: once for each {@link acquire}. */
  release(): void {
    this.#runningCalls -= 1;
    if (this.#runningCalls === 0) this.#onIdle?.();
    this.#owner?.release();
  }

  /** A borrowed transport stays open: its owner closes it. */
  close(): Promise<void> {
    this.#closing ??= this.#idle().then(() =>
      this.#owner === undefined ? this.transport.close() : undefined,
    );
    return this.#closing;
  }

  #idle(): Promise<void> {
    if (this.#runningCalls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}
