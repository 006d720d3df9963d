/** The addresses that the emulator makes are those by which its caller reached it. */

import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator, type EmulatorSnapshot } from 'market-partner-sdk/testing';
import { raw, start } from './control-fixture.js';
import { startOfTime } from './emulator-fixture.js';
import { signed } from './independent-signer.js';

const checkout = { domain: 'brew.example' };
const brokerage = { tier: 'managed', buyer_email: 'buyer@shop.example' };

/** An emulator, and signed calls to it that carry a `Host` of their own. */
async function callers(options: Parameters<typeof start>[0] = {}) {
  const { emulator, port, send } = await start(options);
  const credential = emulator.createCredential();
  let nonces = 0;
  const call = (host: string | undefined, method: string, path: string, content?: object) => {
    const target = `${options.pathPrefix ?? ''}/api/partner/v1${path}`;
    const body = content === undefined ? undefined : JSON.stringify(content);
    const own = signed(credential, {
      method,
      path: target,
      ...(body === undefined ? {} : { body }),
      timestamp: startOfTime / 1000,
      nonce: `nonce-${(nonces += 1)}-0123456789abcdef`,
    });
    return raw(port, method, target, body, { ...own, ...(host === undefined ? {} : { host }) });
  };
  return { emulator, port, send, call };
}

/** Another port that leads to an emulator's, as `docker run -p` makes one. */
async function mappedPort(to: number): Promise<number> {
  const server = createServer((socket) => {
    const inner = connect(to, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('the addresses that the emulator makes', () => {
  it.each(['localhost:32768', '127.0.0.1:1', '[::1]:32768', 'market.localhost:80'])(
    'lead to the Host %s of the request',
    async (host) => {
      const { call } = await callers();
      const origin = `http://${host.replace(/:80$/, '')}`;
      const session = await call(host, 'POST', '/checkout-session', checkout);
      expect(session.json.checkout_url).toMatch(`${origin}/checkout?pt=`);
      const opened = await call(host, 'POST', '/brokerage', brokerage);
      expect(opened.json.progress_url).toMatch(`${origin}/brokerage/progress/`);
      const link = await call(host, 'POST', '/links', { type: 'generic' });
      expect(link.json.url).toMatch(`${origin}/r/lnk_`);
    },
  );

  it('are made for each caller, also those of an older record', async () => {
    const { call, send } = await callers({ host: '0.0.0.0', controlToken: 'for-tests' });
    const [here, there] = ['localhost:32768', 'market:4010'];
    const { json: opened } = await call(here, 'POST', '/brokerage', brokerage);
    await call(here, 'POST', '/links', { type: 'generic' });
    const case_id = String(opened.case_id);
    const shown = await call(there, 'GET', `/brokerage/${case_id}`);
    expect(shown.json.progress_url).toBe(String(opened.progress_url).replace(here, there));
    for (const list of ['/brokerage', '/links']) {
      const { text } = await call(there, 'GET', list);
      expect(text).toContain(`http://${there}/`);
      expect(text).not.toContain(here);
    }
    const control = { host: there, authorization: 'Bearer for-tests' };
    const { text, json } = await send('GET', '/state', undefined, control);
    expect(json.baseUrl).toBe(`http://${there}`);
    expect(text).not.toContain(here);
    const closed = await send('POST', `/cases/${case_id}/closeCase`, {}, control);
    expect(closed.json.progress_url).toBe(shown.json.progress_url);
  });

  it('are those of a client behind a mapped port, and lead back', async () => {
    const { emulator, port } = await start();
    const outer = await mappedPort(port);
    const { keyId, secret } = emulator.createCredential();
    const baseUrl = `http://localhost:${outer}`;
    const market = new MarketClient({ baseUrl, keyId, secret, clock: emulator.clock.now });
    onTestFinished(() => market.close());
    const session = await market.checkout.createSession(checkout);
    expect(session.checkout_url).toMatch(`${baseUrl}/checkout?pt=`);
    const page = await fetch(session.checkout_url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Buy brew')]);
    emulator.admin.payCheckout(session.checkout_url);
    expect(await (await fetch(session.checkout_url)).text()).toContain('is paid');
  });

  it('have the path prefix', async () => {
    const { call } = await callers({ pathPrefix: '/gateway' });
    const { json } = await call('localhost:32768', 'POST', '/checkout-session', checkout);
    expect(json.checkout_url).toMatch('http://localhost:32768/gateway/checkout?pt=');
  });

  it("are the emulator's own for a call as a function, whose address leads nowhere", async () => {
    const { emulator, call } = await start();
    const { json } = await call('POST /checkout-session', { body: checkout });
    expect(json.checkout_url).toMatch(`${emulator.baseUrl}/checkout?pt=`);
  });

  it('are whole ones in a snapshot of an earlier release, and stay', async () => {
    const { emulator, call } = await start();
    const { json } = await call('POST /links', { body: { type: 'generic' } });
    const own = JSON.stringify(emulator.snapshot());
    const earlier = own.replace('"url":"/r/', '"url":"http://127.0.0.1:4010/r/');
    expect(earlier).not.toBe(own);
    emulator.restore(JSON.parse(earlier) as EmulatorSnapshot);
    expect((await call('GET /links')).text).toContain(`http://127.0.0.1:4010/r/${json.link_id}`);
  });
});

describe('publicUrl', () => {
  const publicUrl = 'https://shop.example/market';

  it.each(['localhost:32768', 'shop.example', undefined])(
    'is in the place of the Host %s, also on loopback',
    async (host) => {
      const { call, emulator } = await callers({ publicUrl });
      const { json } = await call(host, 'POST', '/checkout-session', checkout);
      expect(json.checkout_url).toMatch(`${publicUrl}/checkout?pt=`);
      expect(emulator.baseUrl).toMatch('http://127.0.0.1:');
    },
  );

  it('lets its own pages call, and no others', async () => {
    const { emulator, port, call } = await callers({ publicUrl });
    const { json } = await call('shop.example', 'POST', '/checkout-session', checkout);
    const page = new URL(String(json.checkout_url));
    const pay = async (headers: Record<string, string>) => {
      const target = `http://127.0.0.1:${port}/checkout${page.search}`;
      return (await fetch(target, { method: 'POST', body: 'action=pay', headers })).status;
    };
    expect(await pay({ origin: 'https://other.example' })).toBe(403);
    expect(emulator.events).toEqual([]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await pay({ origin: 'https://shop.example', ...form })).toBe(200);
    const other = await raw(port, 'GET', '/api/partner/v1/orders', undefined, { host: 'a.test' });
    expect([other.status, other.json.message]).toEqual([
      421,
      expect.stringContaining('--public-url'),
    ]);
  });

  it('does not open the control API to its name', async () => {
    const { send } = await start({ publicUrl });
    expect((await send('GET', '/state', undefined, { host: 'shop.example' })).status).toBe(421);
  });

  it.each(['shop.example', 'ftp://shop.example', 'https://shop.example/', 'https://a/?b', ''])(
    'cannot be %j',
    async (wrong) => {
      await expect(MarketEmulator.start({ publicUrl: wrong })).rejects.toThrow(
        '"publicUrl" must be like \'https://shop.example\', without a slash at its end',
      );
    },
  );
});
