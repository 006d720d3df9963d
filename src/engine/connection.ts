/** A client's way to the service: open until it is closed, and closed only when its calls are done. */

import type { Transport } from '../transport/transport.js';

export class Connection {
  readonly transport: Transport;
  #callsUnderWay = 0;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  /** A call begins. One that waits for its next attempt is under way too: {@link close} waits for it. */
  enter(): void {
    this.#callsUnderWay += 1;
  }

  /** A call that has entered is over, however it ended. */
  leave(): void {
    this.#callsUnderWay -= 1;
    if (this.#callsUnderWay === 0) this.#onIdle?.();
  }

  close(): Promise<void> {
    this.#closing ??= this.#idle().then(() => this.transport.close());
    return this.#closing;
  }

  #idle(): Promise<void> {
    if (this.#callsUnderWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}
