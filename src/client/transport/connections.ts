/**
 * Connections: the sockets of one client, up to 64 for each origin, and the limiter that requests pass
 * on their way to them. The first request loads undici.
 */

import type { Dispatcher } from 'undici';
import { openDirectAgent } from './direct-agent.js';
import { openProxyAgent } from './proxy-agent.js';
import { ConnectionLimiter } from './connection-limiter.js';
import { Sockets } from './sockets.js';

export interface LimitedAgent {
  readonly agent: Dispatcher;
  readonly limiter: ConnectionLimiter;
  readonly sockets: Sockets;
}

export class Connections {
  readonly #agents = new Map<string, LimitedAgent>();
  readonly #opening = new Map<string, Promise<LimitedAgent>>();
  readonly #sockets = new Sockets();
  readonly #proxy: string | undefined;

  /** @param proxy - the proxy's address, or `'environment'`; without, connections are direct. */
  constructor(proxy: string | undefined) {
    this.#proxy = proxy;
  }

  /** The agent of an origin that was opened before. */
  get(origin: string): LimitedAgent | undefined {
    return this.#agents.get(origin);
  }

  /** Loads undici, if need be, and makes the agent: one for all calls that wait for it. */
  open(origin: string): Promise<LimitedAgent> {
    const known = this.#opening.get(origin);
    if (known !== undefined) return known;
    const opening = this.#open(origin);
    this.#opening.set(origin, opening);
    return opening;
  }

  async close(): Promise<void> {
    // First the agents: they must not connect again for a socket that ends here.
    const destroyed = Array.from(this.#agents.values(), ({ agent }) => agent.destroy());
    // No call is left, but a socket may still be connecting: destroy() would wait for its timeout.
    this.#sockets.close();
    await Promise.all(destroyed);
  }

  async #open(origin: string): Promise<LimitedAgent> {
    const limiter = new ConnectionLimiter();
    const onRoom = () => limiter.drain();
    try {
      const agent = await (this.#proxy === undefined
        ? openDirectAgent(origin, this.#sockets, onRoom)
        : openProxyAgent(this.#proxy, this.#sockets, onRoom));
      const opened = { agent, limiter, sockets: this.#sockets };
      this.#agents.set(origin, opened);
      return opened;
    } catch (error) {
      // A process can run out of file descriptors for a moment: the next call tries again. Node keeps the failure
      // of a module that has begun to run, so not every failure passes.
      this.#opening.delete(origin);
      throw error;
    }
  }
}
