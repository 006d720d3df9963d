/** openProxyAgent: undici's agents for HTTP proxies, bounded like the client's own. */

import type { Dispatcher } from 'undici';
import { watchForRoom } from './connection-limiter.js';
import { connectTimeoutMs, maxConnections } from './direct-agent.js';
import type { Sockets } from './sockets.js';

/**
 * @param proxy - the proxy's address, or `'environment'` for the one that the variables name
 * @param onRoom - called when a socket may be free for the next request
 */
export async function openProxyAgent(
  proxy: string,
  sockets: Sockets,
  onRoom: () => void,
): Promise<Dispatcher> {
  // The whole of undici: only its index exports these agents.
  const { buildConnector, EnvHttpProxyAgent, Pool, ProxyAgent } = await import('undici');
  const connect = sockets.tracked(buildConnector({ timeout: connectTimeoutMs, allowH2: false }));
  const options = {
    // undici 8 would forward plain http: the proxy could read it and respond to it.
    proxyTunnel: true,
    allowH2: false,
    connections: maxConnections,
    // Used if NO_PROXY names the service.
    connect,
    // To the proxy. If it never responds to CONNECT, the connection would stay open for undici's five minutes.
    clientFactory: (origin: URL, poolOptions: object) =>
      new Pool(origin, { ...poolOptions, connect, headersTimeout: connectTimeoutMs }),
    // The proxy agents pass on no event of their pools, and drop a pool with its last connection: it
    // emits no `drain` then.
    factory: (origin: string | URL, poolOptions: object) =>
      watchForRoom(new Pool(origin, poolOptions), onRoom).on('disconnect', onRoom),
  };
  return proxy === 'environment'
    ? new EnvHttpProxyAgent(options)
    : new ProxyAgent({ uri: proxy, ...options });
}
