/**
 * Connections: the sockets of one client, up to 64 for each origin, and the gate that requests pass
 * on their way to them. The first request loads undici.
 */

import { setMaxListeners } from 'node:events';
import type { Agent, buildConnector } from 'undici';
import { RequestGate } from './request-gate.js';

/** Sockets per origin: plenty for a service that responds in tens of milliseconds. */
const maxConnections = 64;

/** undici's own default, which it gives to its own connector alone. */
const connectTimeoutMs = 10_000;

export interface GatedAgent {
  readonly agent: Agent;
  readonly gate: RequestGate;
}

export class Connections {
  readonly #agents = new Map<string, GatedAgent>();
  readonly #closing = new AbortController();
  #loading: Promise<UndiciParts> | undefined;

  constructor() {
    // Each socket listens, and Node warns of a leak above ten.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The agent of an origin that was opened before. */
  get(origin: string): GatedAgent | undefined {
    return this.#agents.get(origin);
  }

  /** Loads undici, if need be, and makes the agent. After a failure the next call tries again. */
  async open(origin: string): Promise<GatedAgent> {
    const parts = await this.#load();
    let opened = this.#agents.get(origin);
    if (opened === undefined) {
      opened = openAgent(origin, parts, this.#closing.signal);
      this.#agents.set(origin, opened);
    }
    return opened;
  }

  async close(): Promise<void> {
    // First the agents: they must not connect again for a socket that the signal ends.
    const destroyed = Array.from(this.#agents.values(), ({ agent }) => agent.destroy());
    // No call is left, but a socket may still be connecting: close() would wait for its timeout.
    this.#closing.abort();
    await Promise.all(destroyed);
  }

  async #load(): Promise<UndiciParts> {
    try {
      return await (this.#loading ??= loadUndici());
    } catch (error) {
      // A process can be out of files for a moment. Node keeps the failure of a module that has
      // begun to run, so not every cause can pass.
      this.#loading = undefined;
      throw error;
    }
  }
}

/** @param closing - ends every socket, also one that is still connecting. */
function openAgent(origin: string, parts: UndiciParts, closing: AbortSignal): GatedAgent {
  const connect = parts.buildConnector({ signal: closing, timeout: connectTimeoutMs });
  const agent = new parts.Agent({
    connections: maxConnections,
    // Node revives a socket that is connected after its signal fired: it would stay open for ever.
    connect: (options, callback) => {
      if (closing.aborted) callback(new Error('the client is closed'), null);
      else connect(options, callback);
    },
  });
  const gate = new RequestGate();
  agent.on('drain', () => gate.drain());
  // An agent drops its pool with the last connection, and a dropped pool emits no `drain`. Without
  // this, the requests that wait would wait until they time out.
  const onLoss = () => {
    if (agent.stats[origin] === undefined) gate.drain();
  };
  agent.on('disconnect', onLoss);
  agent.on('connectionError', onLoss);
  return { agent, gate };
}

interface UndiciParts {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

/**
 * The agent alone: undici's index also loads its fetch, WebSocket, caches and mocks, which takes
 * three times as long. Should undici move the modules, the index still has them.
 */
async function loadUndici(): Promise<UndiciParts> {
  try {
    const [agent, connect] = await Promise.all([
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
    ]);
    return { Agent: agent.default, buildConnector: connect.default };
  } catch {
    return import('undici');
  }
}
