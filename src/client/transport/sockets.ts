/**
 * Sockets: every socket of one client, from the moment it begins to connect until it is closed. A
 * socket that no call waits for does not go on connecting.
 */

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** A request handed to undici that may need a socket first. */
export interface SocketUser {
  /** Whether the request has not started yet, and its call still wants it. */
  readonly isWaiting: boolean;
  /** A socket is being connected for it. */
  onConnecting(socket: Socket): void;
  /** Calls `listener` once the request no longer waits. */
  onceNotWaiting(listener: () => void): void;
}

/** undici's types leave out that a connector returns its socket. */
type SocketConnector = (...parameters: Parameters<buildConnector.connector>) => Socket;

export class Sockets {
  readonly #open = new Set<Socket>();
  /** How many requests have no connection yet. */
  #waiting = 0;
  #dispatched: SocketUser | undefined;
  #closed = false;

  /** Adds to these sockets what an undici connector connects. */
  tracked(connect: buildConnector.connector): buildConnector.connector {
    const connectSocket = connect as SocketConnector;
    return (options, callback) => {
      const refusal = this.#refusal();
      if (refusal !== undefined) {
        // Not at once: while it calls its connector, undici misses that the failure makes room.
        queueMicrotask(() => callback(new Error(refusal), null));
        return;
      }
      const socket = connectSocket(options, callback);
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      this.#dispatched?.onConnecting(socket);
    };
  }

  /**
   * Runs undici's `dispatch` for a request. undici begins to connect before `dispatch` returns, and
   * does not say for which request; so a socket that begins meanwhile is this request's.
   */
  dispatch(user: SocketUser, dispatch: () => boolean): boolean {
    const outer = this.#dispatched;
    this.#dispatched = user;
    try {
      return dispatch();
    } finally {
      this.#dispatched = outer;
      // On a connection that is kept alive, the request has started by now.
      if (user.isWaiting) this.#await(user);
    }
  }

  /** Ends all sockets and refuses new ones. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#open) socket.destroy(new Error('the client is closed'));
  }

  /** Why undici may not connect. After an aborted request it connects again, for the next one. */
  #refusal(): string | undefined {
    if (this.#closed) return 'the client is closed';
    if (this.#dispatched === undefined && this.#waiting === 0) return 'no call needs a connection';
    return undefined;
  }

  #await(user: SocketUser): void {
    this.#waiting += 1;
    user.onceNotWaiting(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#endConnecting();
    });
  }

  #endConnecting(): void {
    for (const socket of this.#open) {
      if (isConnecting(socket)) endConnecting(socket);
    }
  }
}

function isConnecting(socket: Socket & { readonly secureConnecting?: boolean }): boolean {
  return socket.connecting || socket.secureConnecting === true;
}

export function endConnecting(socket: Socket): void {
  // With an error: without one, undici would wait for the connection forever.
  socket.destroy(new Error('its call ended before it was connected'));
}
