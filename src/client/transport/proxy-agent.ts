/** openProxyAgent: undici's agents for HTTP proxies, bounded like the client's own. */

import type { buildConnector, Dispatcher, Pool } from 'undici';
import type { ConnectionLimits } from './direct-agent.js';

/**
 * @param proxy - the proxy's address, or `'environment'` for the one that the variables name
 * @param onRoom - called when a socket may be free for the next request
 */
export async function openProxyAgent(
  proxy: string,
  { maxConnections, connectTimeoutMs, closing }: ConnectionLimits,
  onRoom: () => void,
): Promise<Dispatcher> {
  // The whole of undici: its index alone exports these agents.
  const { EnvHttpProxyAgent, Pool, ProxyAgent } = await import('undici');
  const connect: buildConnector.BuildOptions = { signal: closing, timeout: connectTimeoutMs };
  const options = {
    connections: maxConnections,
    connect,
    proxyTls: connect,
    // A proxy that never answers CONNECT would keep its place for undici's five minutes.
    clientFactory: (origin: URL, poolOptions: object) =>
      new Pool(origin, { ...poolOptions, headersTimeout: connectTimeoutMs }),
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
