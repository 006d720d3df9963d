/** The option `proxy`, against a real proxy. */

import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, ConnectionError } from 'market-partner-sdk';
import { clientOf } from '../../support/client.js';
import { rejectionOf, thrownBy } from '../../support/errors.js';
import { listenOnPort, serve } from '../../support/loopback.js';
import { credential, okRead } from '../../support/mock-market.js';
import { startProxyServer } from '../../support/proxy-server.js';

beforeEach(() => {
  for (const name of ['https_proxy', 'http_proxy', 'no_proxy']) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A service on loopback, without TLS. */
async function startService() {
  const paths: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const baseUrl = await serve((request, response) => {
    paths.push(request.url ?? '');
    headers.push(request.headers);
    response.end(JSON.stringify(okRead));
  });
  return { baseUrl, port: new URL(baseUrl).port, paths, headers };
}

/** A service, a proxy, and a client of the service through the proxy. */
async function setUp(login?: string, written = login) {
  const [service, proxy] = [
    await startService(),
    await startProxyServer(login === undefined ? {} : { login }),
  ];
  const url = written === undefined ? proxy.url : proxy.url.replace('//', `//${written}@`);
  const { baseUrl } = service;
  return { service, proxy, market: clientOf({ baseUrl, proxy: url, maxRetries: 1 }) };
}

describe('proxy', () => {
  it("leaves the process's own fetch alone", async () => {
    const [service, proxy] = [await startService(), await startProxyServer()];
    const { baseUrl } = service;
    // Without the index of undici, which this process has loaded: it sets the dispatcher of every fetch.
    const program = `
      const { MarketClient } = require('market-partner-sdk');
      const options = ${JSON.stringify({ baseUrl, proxy: proxy.url, ...credential })};
      const market = new MarketClient(options);
      (async () => {
        const { public_id: id } = await market.orders.get('ord_1001');
        const names = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
        console.log(JSON.stringify({ id, set: names.filter((name) => globalThis[Symbol.for(name)]) }));
        await market.close();
      })();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      timeout: 15_000,
    });
    expect(JSON.parse(stdout)).toEqual({ set: [] });
    expect(proxy.tunnels).toEqual([`127.0.0.1:${service.port}`]);
  });

  it('tunnels every request, and keeps the tunnel', async () => {
    const { service, proxy, market } = await setUp();
    for (let call = 0; call < 5; call += 1) await market.orders.get('ord_1001');
    expect(service.paths).toHaveLength(5);
    expect(proxy.tunnels.length).toBeGreaterThan(0);
    expect(proxy.tunnels.length).toBeLessThanOrEqual(2);
    expect(proxy.tunnels[0]).toBe(`127.0.0.1:${service.port}`);
  });

  it('ends its sockets when the client closes', async () => {
    const { proxy, market } = await setUp();
    await market.orders.get('ord_1001');
    await market.close();
    await vi.waitFor(() => expect(proxy.open.size).toBe(0));
  });

  it('takes 300 calls at once through at most 64 tunnels', async () => {
    const { service, proxy, market } = await setUp();
    await Promise.all(Array.from({ length: 300 }, (_, n) => market.orders.get(`ord_${n}`)));
    expect(new Set(service.paths).size).toBe(300);
    expect(proxy.tunnels.length).toBeLessThanOrEqual(64);
  });

  it('sends the user name and the password to the proxy alone', async () => {
    const { service, market } = await setUp('ada:p@ss', 'ada:p%40ss');
    await market.orders.get('ord_1001');
    expect(service.headers).toEqual([
      expect.not.objectContaining({ 'proxy-authorization': expect.anything() as string }),
    ]);
  });

  it('that refuses leaves the order unsent, and says so without the password', async () => {
    const { service, proxy, market } = await setUp('ada:right', 'ada:hunter2');
    const order = { domain: 'brew.example', expected_price: 250_000 };
    const error = await rejectionOf(market.orders.create(order, { idempotencyKey: 'payment-1' }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 1, idempotencyKey: 'payment-1' });
    expect(String(error)).toContain('407');
    expect(proxy.tunnels).toHaveLength(1);
    const encoded = Buffer.from('ada:hunter2').toString('base64');
    for (const text of [JSON.stringify(error), inspect(error, { depth: null })]) {
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(encoded);
    }
    expect(service.paths).toEqual([]);
  });

  it.each([
    ['a token', 'token-1', 'token-1:'],
    ['a token and an empty password', 'token-1:', 'token-1:'],
    ['a password alone', ':hunter2', ':hunter2'],
    ['percent-encoded signs', 'ada%40example.com:p%3Aa%2F%C3%A9', 'ada@example.com:p:a/\u00e9'],
  ])('takes %s as the login', async (_what, written, login) => {
    const { service, market } = await setUp(login, written);
    await market.orders.get('ord_1001');
    expect(service.paths).toHaveLength(1);
  });

  it.each(['http', 'https'])(
    'that closes the connection is asked once an attempt: %s',
    async (scheme) => {
      let tunnels = 0;
      const server = createServer().on('connect', (_request, socket) => {
        tunnels += 1;
        socket.end();
      });
      const proxy = `http://127.0.0.1:${await listenOnPort(server)}`;
      const market = clientOf({ baseUrl: `${scheme}://127.0.0.1:1`, proxy, timeoutMs: 1_000 });
      const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1001' }));
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', attempts: 3 });
      expect(tunnels).toBe(3);
    },
  );

  it.each([400, 403, 404, 429])(
    'that answers CONNECT with %i is asked once a call',
    async (status) => {
      let tunnels = 0;
      const server = createServer().on('connect', (_request, socket) => {
        tunnels += 1;
        socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      });
      const proxy = `http://127.0.0.1:${await listenOnPort(server)}`;
      const market = clientOf({ baseUrl: 'https://market.example', proxy, random: () => 0 });
      const error = await rejectionOf(market.orders.get('ord_1001'));
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', attempts: 1 });
      expect(tunnels).toBe(1);
    },
  );

  it('that does not listen leaves the order unsent', async () => {
    const { baseUrl } = await startService();
    const market = clientOf({ baseUrl, proxy: 'http://127.0.0.1:9', maxRetries: 0 });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
  });

  it('that never answers holds neither the call beyond its time, nor close()', async () => {
    const [service, proxy] = [await startService(), await startProxyServer({ silent: true })];
    const market = clientOf({ baseUrl: service.baseUrl, proxy: proxy.url, maxRetries: 0 });
    const error = await rejectionOf(market.orders.get('ord_1001', { timeoutMs: 50 }));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    await market.close();
    await vi.waitFor(() => expect(proxy.open.size).toBe(0));
  });

  it('is shared by withOptions, and replaced by another way to the service', async () => {
    const [service, first] = [await startService(), await startProxyServer()];
    const second = await startProxyServer();
    const market = clientOf({ baseUrl: service.baseUrl, proxy: first.url });
    await market.withOptions({ maxRetries: 0 }).orders.get('ord_1001');
    expect(first.tunnels).toHaveLength(1);
    const other = market.withOptions({ proxy: second.url });
    await other.orders.get('ord_1001');
    await other.close();
    expect([first.tunnels.length, second.tunnels.length]).toEqual([1, 1]);
    const fetched = market.withOptions({ fetch });
    await fetched.orders.get('ord_1001');
    expect([first.tunnels.length, second.tunnels.length]).toEqual([1, 1]);
  });
});

describe("proxy: 'environment'", () => {
  /** The client reaches loopback directly, so the service has another name in these tests. */
  const named = (port: string) => `http://service.localhost:${port}`;

  it.each(['HTTP_PROXY', 'http_proxy'])('takes the proxy of %s', async (variable) => {
    const [service, proxy] = [await startService(), await startProxyServer()];
    vi.stubEnv(variable, proxy.url);
    const options = { proxy: 'environment', allowHttp: ['service.localhost'], maxRetries: 0 };
    const market = clientOf({ baseUrl: named(service.port), ...options });
    await market.orders.get('ord_1001').catch(() => undefined);
    expect(proxy.tunnels).toEqual([`service.localhost:${service.port}`]);
  });

  it.each(['HTTPS_PROXY', 'https_proxy'])('takes the proxy of %s for https', async (variable) => {
    const proxy = await startProxyServer({ login: 'only:CONNECT is looked at' });
    vi.stubEnv(variable, proxy.url);
    const options = { proxy: 'environment', maxRetries: 0 };
    const market = clientOf({ baseUrl: 'https://market.example', ...options });
    await rejectionOf(market.orders.get('ord_1001'));
    expect(proxy.tunnels).toEqual(['market.example:443']);
  });

  it.each([
    ['service.localhost.', 'service.localhost'],
    ['service.localhost', 'service.localhost.'],
    ['.localhost.:9', 'service.localhost'],
    ['*', 'service.localhost.'],
    ['other.example,*', 'service.localhost'],
    ['other.example, .localhost', 'service.localhost'],
    ['*.localhost', 'service.localhost'],
    ['SERVICE.localhost:9', 'service.localhost'],
    ['2001:db8::5', '[2001:db8::5]'],
    ['[2001:DB8:0::5]:9', '[2001:db8::5]'],
  ])('passes by NO_PROXY=%s for the host %s', async (noProxy, host) => {
    const proxy = await startProxyServer();
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', noProxy);
    const limits = { maxRetries: 0, timeoutMs: 500 };
    const options = { baseUrl: `https://${host}:9`, proxy: 'environment', ...limits };
    await rejectionOf(clientOf(options).orders.get('ord_1001'));
    expect(proxy.tunnels).toEqual([]);
  });

  it.each([
    ['service.localhost.:10', 'service.localhost'],
    ['vice.localhost', 'service.localhost'],
    ['2001:db8::6,2001:db8::', '[2001:db8::5]'],
  ])('is used where NO_PROXY=%s has another host than %s', async (noProxy, host) => {
    const proxy = await startProxyServer({ login: 'only:CONNECT is looked at' });
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', noProxy);
    const options = { baseUrl: `https://${host}:9`, proxy: 'environment' };
    await rejectionOf(clientOf(options).orders.get('ord_1001'));
    expect(proxy.tunnels).toEqual([`${host}:9`]);
  });

  it('reaches loopback directly, whatever the variables say', async () => {
    const [service, proxy] = [await startService(), await startProxyServer()];
    vi.stubEnv('HTTP_PROXY', proxy.url);
    await clientOf({ baseUrl: service.baseUrl, proxy: 'environment' }).orders.get('ord_1001');
    expect(service.paths).toHaveLength(1);
    expect(proxy.tunnels).toEqual([]);
  });

  it('is not the default', async () => {
    const proxy = await startProxyServer();
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const market = clientOf({ baseUrl: 'https://service.localhost:9', maxRetries: 0 });
    await rejectionOf(market.orders.get('ord_1001'));
    expect(proxy.tunnels).toEqual([]);
  });

  it('names the variable that holds no address, and not its value', () => {
    vi.stubEnv('HTTPS_PROXY', 'ada:hunter2@proxy.example:3128');
    const make = () => clientOf({ baseUrl: 'https://market.example', proxy: 'environment' });
    const { message } = thrownBy(make, ConfigurationError);
    expect(message).toContain('HTTPS_PROXY must be an address such as http://proxy.example:3128');
    expect(message).not.toContain('hunter2');
  });
});
