/** openDirectAgent: undici's pool, bounded, for connections without a proxy. */

import type { buildConnector, Dispatcher, Pool } from 'undici';
import { watchForRoom } from './connection-limiter.js';
import type { Sockets } from './sockets.js';

/** Sockets per origin: plenty for a service that responds in tens of milliseconds. */
export const maxConnections = 64;
/** undici's default, which it uses only for a connector that it builds itself. */
export const connectTimeoutMs = 10_000;

/** @param onRoom - called when a socket may be free for the next request */
export async function openDirectAgent(
  origin: string,
  sockets: Sockets,
  onRoom: () => void,
): Promise<Dispatcher> {
  const parts = await loadUndici();
  // A pool, not an agent: an agent drops its pool whenever no connection is left, and the sockets
  // that are still connecting would no longer count.
  const pool = new parts.Pool(origin, {
    connections: maxConnections,
    allowH2: false, // undici 8 would use HTTP/2; these limits are for HTTP/1.1
    connect: sockets.tracked(parts.buildConnector({ timeout: connectTimeoutMs, allowH2: false })),
  });
  return watchForRoom(pool, onRoom);
}

interface UndiciParts {
  readonly Pool: typeof Pool;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Only these modules: undici's index also loads its fetch, WebSocket, caches and mocks, which takes
 * three times as long. If undici moves the modules, the index still has them.
 */
async function loadUndici(): Promise<UndiciParts> {
  try {
    const [pool, connect] = await Promise.all([
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/core/connect.js'),
    ]);
    return { Pool: pool.default, buildConnector: connect.default };
  } catch {
    return import('undici');
  }
}
