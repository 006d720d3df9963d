/** The recipes of docs/client.md for TLS, against real TLS servers. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, ProxyAgent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../support/client.js';
import { rejectionOf } from '../../support/errors.js';
import { credential, okBody } from '../../support/mock-market.js';
import { startProxyServer } from '../../support/proxy-server.js';
import { certificate, certificateFile, startTlsServer } from '../../support/tls-server.js';

/** Where the package is found by its own name. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

function dispatcherOf(connect: object): Agent {
  const dispatcher = new Agent({ connect });
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

describe('TLS', () => {
  const ca = certificate('ca.crt');
  const client = { cert: certificate('client.crt'), key: certificate('client.key') };

  it('of an unknown CA is refused before anything is sent, and never retried', async () => {
    const server = await startTlsServer();
    const error = await rejectionOf(clientOf({ baseUrl: server.baseUrl }).orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', attempts: 1 });
    expect(server.clients).toEqual([]);
  });

  it('of a private CA is a dispatcher with `ca`', async () => {
    const server = await startTlsServer();
    const dispatcher = dispatcherOf({ ca });
    await clientOf({ baseUrl: server.baseUrl, dispatcher }).orders.get('ord_1001');
    expect(server.clients).toEqual(['']);
  });

  it('with a certificate of the client is a dispatcher with `cert` and `key`', async () => {
    const server = await startTlsServer({ requestCert: true });
    const dispatcher = dispatcherOf({ ca, ...client });
    await clientOf({ baseUrl: server.baseUrl, dispatcher }).orders.get('ord_1001');
    expect(server.clients).toEqual(['partner of the tests']);
  });

  it('through a proxy is a ProxyAgent with `requestTls`', async () => {
    const [server, proxy] = [await startTlsServer({ requestCert: true }), await startProxyServer()];
    const requestTls = { ca, ...client };
    const dispatcher = new ProxyAgent({ uri: proxy.url, requestTls });
    onTestFinished(() => dispatcher.close());
    await clientOf({ baseUrl: server.baseUrl, dispatcher }).orders.get('ord_1001');
    expect(server.clients).toEqual(['partner of the tests']);
    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`]);
  });

  it.each([
    ['directly', false],
    ['through a proxy', true],
  ])('takes NODE_EXTRA_CA_CERTS, %s', async (_, throughProxy) => {
    const [server, proxy] = [await startTlsServer(), await startProxyServer()];
    const options = {
      baseUrl: server.baseUrl,
      ...credential,
      validateResponses: 'off',
      ...(throughProxy ? { proxy: proxy.url } : {}),
    };
    const program = `
      import { MarketClient } from 'market-partner-sdk';
      const market = new MarketClient(${JSON.stringify(options)});
      console.log((await market.orders.get('ord_1001')).public_id);
      await market.close();`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      { cwd: root, env: { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile('ca.crt') } },
    );
    expect(stdout.trim()).toBe(okBody.public_id);
    expect(proxy.tunnels).toHaveLength(throughProxy ? 1 : 0);
  });
});

describe("a client's certificate that the server refuses", () => {
  const order = { domain: 'brew.example', expected_price: 250_000 };
  const selfSigned = { cert: certificate('self-signed.crt'), key: certificate('self-signed.key') };

  /** The client and a server that speaks one version of TLS and asks for a certificate. */
  async function refusal(tlsVersion: 'TLSv1.2' | 'TLSv1.3', own: object) {
    const server = await startTlsServer({ requestCert: true, tlsVersion });
    const dispatcher = dispatcherOf({ ca: certificate('ca.crt'), ...own });
    return { server, market: clientOf({ baseUrl: server.baseUrl, dispatcher }) };
  }

  it.each([
    ['TLSv1.3', 'unknown', 'no certificate', {}],
    ['TLSv1.3', 'unknown', 'a self-signed one', selfSigned],
    ['TLSv1.2', 'not_sent', 'no certificate', {}],
    ['TLSv1.2', 'not_sent', 'a self-signed one', selfSigned],
  ] as const)('in %s leaves an order %s, with %s', async (tlsVersion, outcome, _what, own) => {
    const { server, market } = await refusal(tlsVersion, own);
    const error = await rejectionOf(market.orders.create(order, { idempotencyKey: 'payment-1' }));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome });
    expect(server.clients).toEqual([]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('fails a read, too, in %s', async (tlsVersion) => {
    const { server, market } = await refusal(tlsVersion, {});
    const error = await rejectionOf(market.domains.checkAvailability('brew.example'));
    expect(error).toMatchObject({ name: 'ConnectionError' });
    expect(server.clients).toEqual([]);
  });
});
