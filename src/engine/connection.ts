/** A client's way to the service: open until it is closed, and closed only when its calls are done. */

import type { Transport } from '../transport/transport.js';

export class Connection {
  readonly transport: Transport;
  /** The connection whose transport this one borrows. */
  readonly #lender: Connection | undefined;
  #callsUnderWay = 0;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(transport: Transport, lender?: Connection) {
    this.transport = transport;
    this.#lender = lender;
  }

  /** The same way for another client: closed alone, or with the owner of the transport. */
  share(): Connection {
    return new Connection(this.transport, this.#lender ?? this);
  }

  get closed(): boolean {
    return this.#closing !== undefined || this.#lender?.closed === true;
  }

  /** A call begins. One that waits for its next attempt is under way too: {@link close} waits for it. */
  enter(): void {
    this.#callsUnderWay += 1;
    this.#lender?.enter();
  }

  /** A call that has entered is over, however it ended. */
  leave(): void {
    this.#callsUnderWay -= 1;
    if (this.#callsUnderWay === 0) this.#onIdle?.();
    this.#lender?.leave();
  }

  /** A borrowed transport stays open: its owner closes it. */
  close(): Promise<void> {
    this.#closing ??= this.#idle().then(() =>
      this.#lender === undefined ? this.transport.close() : undefined,
    );
    return this.#closing;
  }

  #idle(): Promise<void> {
    if (this.#callsUnderWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}
