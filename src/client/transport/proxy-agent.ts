/** openProxyAgent: undici's agents for HTTP proxies, bounded like the client's own. */

import type { Dispatcher, Pool } from 'undici';
import type { ConnectionLimits } from './direct-agent.js';
import type { Sockets } from './sockets.js';

/**
 * @param proxy - the proxy's address, or `'environment'` for the one that the variables name
 * @param onRoom - called when a socket may be free for the next request
 */
export async function openProxyAgent(
  proxy: string,
  { maxConnections, connectTimeoutMs }: ConnectionLimits,
  sockets: Sockets,
  onRoom: () => void,
): Promise<Dispatcher> {
  // The whole of undici: only its index exports these agents.
  const { buildConnector, EnvHttpProxyAgent, Pool, ProxyAgent } = await import('undici');
  const connect = sockets.tracked(buildConnector({ timeout: connectTimeoutMs }));
  const options = {
    connections: maxConnections,
    // Used where NO_PROXY names the service.
    connect,
    // To the proxy. One that never answers CONNECT would keep its place for undici's five minutes.
    clientFactory: (origin: URL, poolOptions: object) =>
      new Pool(origin, { ...poolOptions, connect, headersTimeout: connectTimeoutMs }),
    // The proxy agents pass on no event of their pools.
    factory: (origin: string | URL, poolOptions: object) =>
      watched(new Pool(origin, poolOptions), onRoom),
  };
  return proxy === 'environment'
    ? new EnvHttpProxyAgent(options)
    : new ProxyAgent({ uri: proxy, ...options });
}

function watched(pool: Pool, onRoom: () => void): Pool {
  pool.on('drain', onRoom);
  // A pool that is dropped with its last connection emits no `drain`.
  pool.on('disconnect', onRoom);
  pool.on('connectionError', onRoom);
  return pool;
}
