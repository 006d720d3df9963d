import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { raw, start } from './control-fixture.js';
import { caller } from './independent-signer.js';

/** Sends bytes as they are; resolves with what came back until the server closed. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.write(bytes);
  await once(socket, 'close');
  return received;
}

describe('a control request', () => {
  it('without a Host, which HTTP/1.0 allows, is refused', async () => {
    const { port } = await start();
    const answer = await exchange(port, 'GET /_emulator/v1/clock HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 421 [^]*"wrong_host"/);
  });

  it('that writes needs a content type though it has no body', async () => {
    const { send } = await start();
    const { status, json } = await send('POST', '/settle');
    expect([status, json.code]).toEqual([415, 'wrong_content_type']);
  });

  it('that needs no field may have an empty body', async () => {
    const { send } = await start();
    expect((await send('POST', '/settle', ' ')).status).toBe(200);
  });

  it.each([
    ['GET', '/requests/req_none', 'There is no request req_none.'],
    ['GET', '/orders/ord_none', 'there is no order ord_none'],
    ['POST', '/orders/ord_none/refund', 'there is no order ord_none'],
    ['POST', '/cases/case_none/closeCase', 'there is no case case_none'],
    ['POST', '/sessions/cs_none/payCheckout', 'there is no checkout cs_none'],
    ['POST', '/links/lnk_none/recordReferralClick', 'there is no link lnk_none'],
    ['POST', '/sales/rs_none/reverseReferralSale', 'there is no referral sale rs_none'],
    ['POST', '/events/evt_none/deliverAgain', 'there is no event evt_none'],
    ['POST', '/credentials/mk_none/revealSecret', 'There is no credential mk_none.'],
    ['GET', '/orders/a%2Fb', 'there is no order a/b'],
  ])('%s %s is told what there is not', async (method, path, message) => {
    const { send } = await start();
    const { status, json } = await send(method, path, method === 'GET' ? undefined : {});
    expect([status, json]).toEqual([404, { code: 'not_found', message }]);
  });

  it.each([
    ['/orders/%ff/hold', {}, 'The path is not percent-encoded UTF-8.'],
    ['/settle', { now: true }, '"now" is not an option; there are none'],
    ['/list', { domain: 'a.example', price_cents: '1' }, '"price_cents" must be a whole number'],
    ['/markActiveSite', { domain: 'a.example', isActive: 1 }, '"isActive" must be true or false'],
    ['/emitEvent', { type: 'x', data: [] }, '"data" must be an object'],
    ['/emitEvent', { type: '' }, '"type" must be a non-empty string'],
    [
      '/delist',
      { domain: 'brew.example', environment: 'staging' },
      '"environment" must be "sandbox"',
    ],
    ['/credentials', { scopes: 'search' }, '"scopes" must be an array'],
    ['/registerWebhook', { url: 'partner', secret: 's' }, '"url" must be an absolute http'],
    ['/registerWebhook', { url: 'ftp://a.example', secret: 's' }, '"url" must be an absolute http'],
    ['/registerWebhook', { url: 'http://a.example', secret: '' }, '"secret" must be a non-empty'],
    ['/clock/set', { time: 'noon' }, '"time" must be Unix milliseconds, or ISO 8601 with a zone'],
    [
      '/clock/set',
      { time: '2030-01-01 08:00:00' },
      '"time" must be Unix milliseconds, or ISO 8601',
    ],
    ['/clock/advance', { duration: null }, '"duration" must be milliseconds'],
    ['/faults/next', { fault: 'redirect' }, '"fault.location" is required'],
    ['/faults/next', { fault: null }, '"fault" must be one of status,'],
    ['/faults/next', { fault: {} }, 'got {}'],
    ['/faults/next', { fault: 'emptyBody!' }, 'got "emptyBody!"'],
    ['/faults/next', { fault: 'toString(1)' }, 'got "toString"'],
    ['/faults/next', { fault: { name: 'emptyBody', bytes: 1 } }, '"fault.bytes" is not an option'],
  ])('POST %s %j is told the field and the rule', async (path, body, message) => {
    const { send } = await start();
    const { status, json } = await send('POST', path, body);
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('of more than 64 MiB is refused, and its sender can read that', async () => {
    const { send, get } = await start();
    const { status, json } = await send('POST', '/restore', 'x'.repeat(64 * 1_048_576 + 1));
    expect([status, json.code]).toEqual([413, 'too_large']);
    expect(await get('/clock')).toHaveProperty('offsetMs', 0);
  });

  it('of a page that is not part of it does not exist', async () => {
    const { port, emulator } = await start();
    const { status, json } = await raw(port, 'GET', '/_emulator/v2/clock');
    expect([status, json.message]).toEqual([404, 'There is no GET /_emulator/v2/clock.']);
    expect(emulator.requests).toEqual([]);
  });

  it('that fails inside is reported as such', async () => {
    const { send } = await start({
      saveState: () => Promise.reject(new Error('the disk is full')),
    });
    const { status, json } = await send('POST', '/saveState', {});
    const message = 'Error: the disk is full';
    expect([status, json]).toEqual([500, { code: 'internal_error', message }]);
  });
});

describe('the staff over HTTP', () => {
  it('act in the environment that is named, else in the sandbox', async () => {
    const { emulator, post, call } = await start();
    const live = caller(emulator, emulator.createCredential({ environment: 'live' }));
    const listing = { domain: 'new.example', price_cents: 1_000 };
    await post('/list', { ...listing, environment: 'live' });
    expect((await live('GET /pricing?domain=new.example')).status).toBe(200);
    expect((await call('GET /pricing?domain=new.example')).status).toBe(404);
    await post('/delist', { domain: 'new.example', environment: 'live' });
    expect((await live('GET /pricing?domain=new.example')).status).toBe(404);
  });

  it('do not deliver again what has nowhere to go', async () => {
    const { post, send } = await start();
    await post('/emitEvent', { type: 'order.settled', partnerId: 'prt_2' });
    const event = await post('/emitEvent', { type: 'order.settled' });
    const { status, json } = await send('POST', `/events/${event.id as string}/deliverAgain`, {});
    const message = 'no webhook is registered for partner prt_1';
    expect([status, json.message]).toEqual([409, message]);
  });

  it('take a site off a domain again', async () => {
    const { post, call } = await start();
    await post('/markActiveSite', { domain: 'busy.example' });
    await post('/markActiveSite', { domain: 'busy.example', isActive: false });
    const { json } = await call('GET /brokerage/eligibility?domain=busy.example');
    expect(json).not.toMatchObject({ reason: 'active_site' });
  });
});

describe('faults over HTTP', () => {
  it('of deliveries are for every type, those of the history for one, if asked for', async () => {
    const { post } = await start();
    await post('/faults/deliveries/next', { fault: 'lost' });
    const armed = await post('/faults/history/late', { duration: 1, type: 'order.settled' });
    expect(armed).toMatchObject([
      { target: 'deliveries', match: 'all' },
      { target: 'history', match: 'order.settled' },
    ]);
  });

  it('read true and Infinity in parentheses', async () => {
    const { emulator, post, call } = await start();
    await post('/faults/next', { fault: 'internalError(true)' });
    const order = { body: { domain: 'brew.example' }, key: 'k' };
    expect((await call('POST /orders', order)).status).toBe(500);
    expect(emulator.events).toHaveLength(1);
    await post('/faults/next', { fault: 'latency(Infinity)' });
    const unanswered = call('GET /orders');
    const arrived = () => emulator.requests.length === 2;
    while (!arrived()) await new Promise((resolve) => setImmediate(resolve));
    await emulator.stop();
    await expect(unanswered).rejects.toThrow(TypeError);
  });
});

describe('a snapshot', () => {
  it.each([
    ['clockOffsetMs', 'soon'],
    ['credentials', {}],
    ['market', []],
    ['deliveries', undefined],
  ])('with a wrong %s is refused', async (name, value) => {
    const { emulator, send } = await start();
    const snapshot = { ...emulator.snapshot(), [name]: value };
    const { status, json } = await send('POST', '/restore', { snapshot });
    expect([status, json.message]).toEqual([409, `"snapshot.${name}" is missing or wrong`]);
  });

  it('that is broken inside leaves everything as it was', async () => {
    const { emulator, call, send } = await start();
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    emulator.faults.on('POST /refunds', fault.internalError());
    const snapshot = { ...emulator.snapshot(), market: { accounts: [{}] } };
    const response = await send('POST', '/restore', { snapshot });
    expect([response.status, response.json.message]).toEqual([
      409,
      expect.stringContaining('"snapshot" cannot be restored'),
    ]);
    expect(emulator.requests).toHaveLength(1);
    expect(emulator.faults.list()).toHaveLength(1);
    expect((await call('GET /orders')).json.data).toHaveLength(1);
  });

  it('leaves out deliveries of events that it does not hold', async () => {
    const { emulator, post, get } = await start({ webhookRetries: ['1 minute'] });
    await post('/registerWebhook', { url: 'http://127.0.0.1:9/', secret: 's' });
    await post('/emitEvent', { type: 'order.settled' });
    await post('/idle');
    expect(await get('/deliveries')).toMatchObject({ pending: [{ eventId: 'evt_00000001' }] });
    const snapshot = emulator.snapshot();
    const deliveries = snapshot.deliveries.map((each) => ({ ...each, eventId: 'evt_none' }));
    await post('/restore', { snapshot: { ...snapshot, deliveries } });
    expect(await get('/deliveries')).toMatchObject({ pending: [] });
  });
});

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describe.skipIf(!hasIPv6)('an emulator on every IPv6 address', () => {
  it('says an address that can be called', async () => {
    const emulator = await MarketEmulator.start({ host: '::' });
    try {
      expect(emulator.baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
      expect((await fetch(`${emulator.baseUrl}/_emulator/health`)).status).toBe(200);
    } finally {
      await emulator.stop();
    }
  });
});
