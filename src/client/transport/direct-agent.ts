/** openDirectAgent: undici's agent, bounded, for connections without a proxy. */

import type { Agent, buildConnector, Dispatcher } from 'undici';

/** The limits of a client's connections. */
export interface ConnectionLimits {
  /** Sockets per origin. */
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** Ends every socket, also one that is still connecting. */
  readonly closing: AbortSignal;
}

/** @param onRoom - called when a socket may be free for the next request */
export async function openDirectAgent(
  origin: string,
  { maxConnections, connectTimeoutMs, closing }: ConnectionLimits,
  onRoom: () => void,
): Promise<Dispatcher> {
  const parts = await loadUndici();
  const connect = parts.buildConnector({ signal: closing, timeout: connectTimeoutMs });
  const agent = new parts.Agent({
    connections: maxConnections,
    // Node revives a socket that is connected after its signal fired: it would stay open for ever.
    connect: (options, callback) => {
      if (closing.aborted) callback(new Error('the client is closed'), null);
      else connect(options, callback);
    },
  });
  agent.on('drain', onRoom);
  // An agent drops its pool with the last connection, and a dropped pool emits no `drain`. Without
  // this, the requests that wait would wait until they time out.
  const onLoss = () => {
    if (agent.stats[origin] === undefined) onRoom();
  };
  agent.on('disconnect', onLoss);
  agent.on('connectionError', onLoss);
  return agent;
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
