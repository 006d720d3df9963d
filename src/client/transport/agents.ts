/** Agents: undici's agents of one client, direct or through a proxy. The first request loads undici. */

import type { Agent, Dispatcher } from 'undici';
import { parseUrl } from '../../core/parse-url.js';

/** Sockets per origin: plenty for a service that responds in tens of milliseconds. */
export const maxConnections = 64;
const connectTimeoutMs = 10_000;

const limits = {
  connections: maxConnections,
  allowH2: false, // undici 8 would use HTTP/2; these limits are for HTTP/1.1
};

/** How a socket is connected, to the service and to a proxy alike. */
const connect = {
  timeout: connectTimeoutMs,
  // Node tries each address of a host but the last for 250 ms only. This is time for two lost packets.
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 4_000,
};

/** Opens a tunnel through a proxy. */
type ConnectTunnel = (options: Dispatcher.ConnectOptions) => Promise<unknown>;

export class Agents {
  readonly #proxy: string | undefined;
  /** By protocol: the environment names a proxy for each. */
  readonly #agents = new Map<string, Dispatcher>();
  readonly #opening = new Map<string, Promise<Dispatcher>>();

  /** @param proxy - the proxy's address, or `'environment'`; without, connections are direct. */
  constructor(proxy: string | undefined) {
    this.#proxy = proxy;
  }

  /** The agent for an origin, if it was opened before. */
  get(origin: string): Dispatcher | undefined {
    return this.#agents.get(protocolOf(origin));
  }

  /** Loads undici, if need be, and makes the agent: one for all calls that wait for it. */
  open(origin: string): Promise<Dispatcher> {
    const protocol = protocolOf(origin);
    const known = this.#opening.get(protocol);
    if (known !== undefined) return known;
    const opening = this.#open(protocol);
    this.#opening.set(protocol, opening);
    return opening;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#agents.values(), (agent) => agent.destroy()));
  }

  async #open(protocol: string): Promise<Dispatcher> {
    try {
      const agent = await openAgent(this.#proxy, protocol);
      this.#agents.set(protocol, agent);
      return agent;
    } catch (error) {
      // A process can run out of file descriptors for a moment: the next call tries again. Node keeps the failure
      // of a module that has begun to run, so not every failure passes.
      this.#opening.delete(protocol);
      throw error;
    }
  }
}

function protocolOf(origin: string): string {
  return origin.slice(0, origin.indexOf(':'));
}

async function openAgent(proxy: string | undefined, protocol: string): Promise<Dispatcher> {
  if (proxy === undefined) return openDirectAgent();
  if (proxy !== 'environment') return openProxyAgent(proxy, '');
  const { address, noProxy } = environmentProxy(protocol);
  return address === undefined ? openDirectAgent() : openProxyAgent(address, noProxy);
}

/** The proxy that the variables name for a protocol, and the hosts that they except. */
function environmentProxy(protocol: string): {
  readonly address: string | undefined;
  readonly noProxy: string;
} {
  const { env } = process;
  const http = env.http_proxy ?? env.HTTP_PROXY ?? '';
  const https = env.https_proxy ?? env.HTTPS_PROXY ?? '';
  const address = protocol === 'https' && https !== '' ? https : http;
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? '';
  return { address: address === '' ? undefined : address, noProxy: normalizeNoProxy(noProxy) };
}

/**
 * The entries as undici reads them: it knows `*` alone, IPv6 addresses in brackets as URLs write them, and
 * takes a host name with a dot at its end for another one.
 */
function normalizeNoProxy(noProxy: string): string {
  const entries = noProxy.split(/[,\s]+/).filter((entry) => entry !== '');
  if (entries.includes('*')) return '*';
  return entries
    .flatMap((entry) => {
      const [, host = '', port = ''] = /^(.*?)\.?(:\d+)?$/.exec(inBrackets(entry)) ?? [];
      const address = host.startsWith('[') ? parseUrl(`http://${host}`) : undefined;
      return address === undefined ? [host + port, `${host}.${port}`] : [address.hostname + port];
    })
    .join(',');
}

function inBrackets(entry: string): string {
  return /^[\da-f]*:[\da-f]*:[\da-f:.]*$/i.test(entry) ? `[${entry}]` : entry;
}

async function openDirectAgent(): Promise<Dispatcher> {
  const Agent = await loadAgent();
  return new Agent({ ...limits, connect });
}

/** @param noProxy - the hosts that are reached directly */
async function openProxyAgent(address: string, noProxy: string): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, Pool, connectBy } = await loadProxyAgent();
  const { username, password } = new URL(address);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new EnvHttpProxyAgent({
    ...limits,
    httpProxy: address,
    httpsProxy: address,
    noProxy,
    // undici would send no user that has no password: a token is one.
    ...(login === ':' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }),
    // undici 8 would forward plain http: the proxy could read it and respond to it.
    proxyTunnel: true,
    connect,
    proxyTls: connect,
    requestTls: connect,
    clientFactory: (origin: URL, options: object) => {
      // If the proxy never responds to CONNECT, the connection would stay open for undici's five minutes.
      const pool = new Pool(origin, { ...options, headersTimeout: connectTimeoutMs });
      return Object.assign(pool, { connect: connectOnce(connectBy(pool)) });
    },
  });
}

/**
 * undici connects again at once, as often as it can, while CONNECT ends in an error of a socket: thousands of
 * times a second, with the login. So that error becomes the cause of another.
 */
function connectOnce(connectTunnel: ConnectTunnel): ConnectTunnel {
  return async (options) => {
    try {
      return await connectTunnel(options);
    } catch (cause) {
      throw new Error('the proxy opened no tunnel', { cause });
    }
  };
}

/**
 * Only these modules: undici's index takes three times as long to load, and becomes the dispatcher of the process's own
 * `fetch`, which fails with it on Node 20. If undici moves a module, the index still has it.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    return (await import('undici/lib/dispatcher/agent.js')).default;
  } catch {
    return (await import('undici')).Agent;
  }
}

async function loadProxyAgent() {
  try {
    const [agentModule, poolModule, connectModule] = await Promise.all([
      import('undici/lib/dispatcher/env-http-proxy-agent.js'),
      import('undici/lib/dispatcher/pool.js'),
      // The index makes it a method of each dispatcher.
      import('undici/lib/api/api-connect.js'),
    ]);
    const connectBy =
      (pool: Dispatcher): ConnectTunnel =>
      (options) =>
        connectModule.default.call(pool, options);
    return { EnvHttpProxyAgent: agentModule.default, Pool: poolModule.default, connectBy };
  } catch {
    const { EnvHttpProxyAgent, Pool } = await import('undici');
    const connectBy = (pool: Dispatcher): ConnectTunnel => pool.connect.bind(pool);
    return { EnvHttpProxyAgent, Pool, connectBy };
  }
}
