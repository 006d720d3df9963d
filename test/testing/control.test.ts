import { describe, expect, it } from 'vitest';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { raw, start, type Json } from './control-fixture.js';
import { startOfTime } from './emulator-fixture.js';
import { caller, signed } from './independent-signer.js';
import { webhookReceivers } from './webhook-receiver.js';

const receiver = webhookReceivers();

describe('the control API is closed', () => {
  it('unless it is asked for, and says how to', async () => {
    const { send, emulator } = await start({ control: false });
    const { status, json } = await send('POST', '/reset', {});
    expect([status, json.code]).toEqual([404, 'no_control']);
    expect(json.message).toMatch(/control: true.*--no-control.*--control-token/);
    expect(emulator.requests).toEqual([]);
  });

  it.each([
    ['market.example', 421],
    ['', 421],
    ['localhost.attacker.example:PORT', 421],
    ['10.0.0.1:PORT', 421],
    ['127.0.0.1.attacker.example:PORT', 421],
    ['localhost:PORT', 200],
    ['localhost', 200],
    ['127.0.0.1:1', 200],
    ['127.0.0.2:PORT', 200],
    ['LOCALHOST:8080', 200],
    ['shop.localhost:3000', 200],
    ['localhost.:PORT', 200],
    ['shop.localhost.', 200],
    ['localhost.attacker.example.', 421],
    ['[::ffff:127.0.0.1]:PORT', 200],
    ['[::ffff:7f00:2]:1', 200],
    ['[::ffff:10.0.0.1]:PORT', 421],
    ['127.0.0.1:PORT', 200],
    ['[::1]:PORT', 200],
  ])('by the Host %s with %i', async (host, status) => {
    const { send, port } = await start();
    const response = await send('GET', '/clock', undefined, {
      host: host.replace('PORT', String(port)),
    });
    expect(response.status).toBe(status);
  });

  it.each([
    [{ origin: 'https://attacker.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:3000' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
  ])('to %j with %i, reads and writes alike', async (headers, status) => {
    const { send, emulator } = await start();
    expect((await send('GET', '/state', undefined, headers)).status).toBe(status);
    const wrote = await send('POST', '/clock/advance', { duration: 1_000 }, headers);
    expect(wrote.status).toBe(status);
    expect(emulator.clock.now() - startOfTime).toBe(status === 200 ? 1_000 : 0);
  });

  it('to an Origin of another loopback name than the Host', async () => {
    const { send, port } = await start();
    const own = { origin: `http://127.0.0.1:${port}` };
    expect((await send('GET', '/clock', undefined, own)).status).toBe(200);
    const tunnelled = { origin: `https://127.0.0.1:${port}` };
    expect((await send('GET', '/clock', undefined, tunnelled)).status).toBe(200);
    const other = { origin: `http://localhost:${port}` };
    expect((await send('GET', '/clock', undefined, other)).status).toBe(403);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'to writes of the type "%s"',
    async (type) => {
      const { send, emulator } = await start();
      const response = await send('POST', '/reset', '{}', { 'content-type': type });
      expect([response.status, response.json.code]).toEqual([415, 'wrong_content_type']);
      expect(emulator.clock.now()).toBe(startOfTime);
    },
  );

  it('to a preflight, and never allows another origin', async () => {
    const { send } = await start();
    const origin = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' };
    const preflight = await send('OPTIONS', '/reset', undefined, origin);
    expect(preflight.status).toBe(403);
    const allowed = await send('GET', '/clock');
    for (const { headers } of [preflight, allowed]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    }
  });

  it('without its token, where it has one', async () => {
    const { send } = await start({ controlToken: 'a-long-token' });
    const get = async (authorization?: string) =>
      (await send('GET', '/clock', undefined, authorization ? { authorization } : {})).status;
    expect(await get()).toBe(401);
    expect(await get('Bearer another-token')).toBe(401);
    expect(await get('a-long-token')).toBe(401);
    expect(await get('Bearer a-long-token')).toBe(200);
    // The name of a scheme has no case, and any number of spaces after it.
    expect(await get('bearer  a-long-token')).toBe(200);
  });

  it.each([
    ['"controlToken"', { control: true, host: '0.0.0.0' }],
    ['"controlToken"', { control: true, controlToken: 'short' }],
    ['"host"', { host: '' }],
    ['"deliverTo"', { deliverTo: 'everywhere' }],
  ])('to wrong options: %s', async (name, options) => {
    await expect(MarketEmulator.start(options as EmulatorOptions)).rejects.toThrow(name);
  });

  it('on every address it takes any Host, with the token', async () => {
    const { send, emulator } = await start({ host: '0.0.0.0', controlToken: 'a-long-token' });
    expect(emulator.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { host: 'emulator:4010', authorization: 'Bearer a-long-token' };
    expect((await send('GET', '/clock', undefined, headers)).status).toBe(200);
    expect((await send('GET', '/clock', undefined, { host: 'emulator:4010' })).status).toBe(401);
  });
});

it.each([true, false])(
  'the health of an emulator is there for any Host, with control: %s',
  async (control) => {
    const { port, emulator } = await start({ control });
    const headers = { host: 'emulator:4010' };
    const { status, json } = await raw(port, 'GET', '/_emulator/health', undefined, headers);
    expect([status, json]).toEqual([200, { status: 'ok' }]);
    expect(emulator.requests).toEqual([]);
  },
);

describe('a refused control request', () => {
  it.each([
    ['GET', '/nothing', undefined, 404, 'There is no GET /_emulator/v1/nothing.'],
    ['GET', '/settle', undefined, 405, '/_emulator/v1/settle takes POST only.'],
    ['POST', '/clock/advance', {}, 400, '"duration" is required and must be milliseconds'],
    ['POST', '/clock/advance', { duration: 'soon' }, 400, '"duration" must be milliseconds'],
    ['POST', '/clock/advance', { duration: 1, by: 1 }, 400, '"by" is not an option; the options'],
    ['POST', '/clock/advance', '{', 400, 'The body is not JSON.'],
    ['POST', '/clock/advance', [], 400, 'The body must be a JSON object.'],
    ['POST', '/reprice', { domain: 1, price_cents: 1 }, 400, '"domain" must be a non-empty string'],
    ['POST', '/faults/next', { fault: 'resetAfterwork' }, 400, '"fault" must be one of status,'],
    ['POST', '/faults/next', { fault: 'emptyBody(1)' }, 400, '"emptyBody" takes no arguments'],
    ['POST', '/faults/next', { fault: 'emptyBody', times: -1 }, 400, '"times" must be'],
    ['POST', '/faults/next', { fault: { name: 'html', after: 1 } }, 400, '"fault.after" is not an'],
    ['POST', '/faults/on', { match: 'nothing', fault: 'emptyBody' }, 400, '"match" "nothing"'],
    ['POST', '/faults/flt_0/remove', {}, 404, 'There is no armed fault flt_0.'],
    ['POST', '/restore', { snapshot: { version: 2 } }, 409, '"snapshot" must be a snapshot'],
    ['POST', '/saveState', {}, 409, 'There is no state file'],
    ['POST', '/credentials', { scopes: ['sell'] }, 400, '"scopes.0" must be "search", "embed"'],
    ['GET', '/requests?limit=0', undefined, 400, '"limit" must be'],
  ])('%s %s %j is told the field and the rule', async (method, path, body, status, message) => {
    const { send } = await start();
    const response = await send(method, path, body);
    expect([response.status, response.json.message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
  });

  it('does not do an illegal move', async () => {
    const { post, send, call } = await start();
    const { json } = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const response = await send('POST', `/orders/${json.public_id}/completeTransfer`, {});
    expect([response.status, response.json.code]).toEqual([409, 'conflict']);
    await post(`/orders/${json.public_id}/hold`);
  });
});

describe('the staff over HTTP', () => {
  it('moves an order from its sale to its settlement', async () => {
    const { post, get, call } = await start();
    const { json } = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const id = json.public_id;
    expect(await get(`/orders/${id}`)).toMatchObject({
      status: 'EXTERNALLY_PAID',
      actions: ['hold', 'startTransfer', 'refund', 'cancel'],
    });
    for (const [action, status] of [
      ['hold', 'MANUAL_REVIEW'],
      ['clear', 'EXTERNALLY_PAID'],
      ['startTransfer', 'TRANSFER_IN_PROGRESS'],
      ['completeTransfer', 'TRANSFER_COMPLETED'],
    ]) {
      expect(await post(`/orders/${id}/${action!}`)).toMatchObject({ public_id: id, status });
    }
    expect(await post('/settle')).toMatchObject([{ gross_sold_cents: 250_000 }]);
    const { orders, events } = (await get('/state')) as unknown as Record<string, Json[]>;
    expect(orders).toMatchObject([{ status: 'SETTLED', partner_id: 'prt_1' }]);
    expect(events).toHaveLength(5);
  });

  it('does everything else that emulator.admin does', async () => {
    const { emulator, post, get, call } = await start();
    await post('/list', { domain: 'new.example', price_cents: 1_000, currency: 'EUR' });
    await post('/reprice', { domain: 'new.example', price_cents: 2_000 });
    expect((await call('GET /pricing?domain=new.example')).json).toMatchObject({
      buy_now_price_cents: 2_000,
    });
    await post('/delist', { domain: 'new.example' });
    expect((await call('GET /pricing?domain=new.example')).status).toBe(404);
    await post('/markActiveSite', { domain: 'busy.example' });
    expect((await call('GET /brokerage/eligibility?domain=busy.example')).json).toMatchObject({
      reason: 'active_site',
    });
    await post('/holdNextOrder', { count: 1 });
    expect(await get('/state')).toMatchObject({ ordersToHold: 1 });

    const checkout = { body: { domain: 'brew.example' } };
    const { session_id } = (await call('POST /checkout-session', checkout)).json;
    await post(`/sessions/${session_id}/payCheckout`);
    const request = { body: { tier: 'managed', buyer_email: 'a@b.example' } };
    const { case_id } = (await call('POST /brokerage', request)).json;
    const closed = await post(`/cases/${case_id}/closeCase`, { outcome: 'no_deal' });
    expect(closed).toMatchObject({ status: 'CLOSED' });
    const { link_id } = (await call('POST /links', { body: { type: 'generic' } })).json;
    await post(`/links/${link_id}/recordReferralClick`);
    await post(`/links/${link_id}/recordReferralCheckout`);
    const sold = { domain: 'x.example', amount_cents: 100 };
    const sale = await post(`/links/${link_id}/recordReferralSale`, sold);
    await post(`/sales/${sale.sale_id as string}/reverseReferralSale`);
    expect((await call('GET /me/commissions')).json.data).toMatchObject([{ status: 'reversed' }]);
    expect(await get('/state')).toMatchObject({
      sessions: [{ is_paid: true }],
      cases: [{ outcome: 'no_deal' }],
      links: [{ clicks: 1, sales: 1 }],
    });
    expect(emulator.events).toHaveLength(0);
  });

  it('emits any event, and delivers it again', async () => {
    const { emulator, post, call } = await start();
    const { url, received } = await receiver();
    await call('PUT /api/partner/webhooks', { body: { url, secret: 'whsec_1' } });
    const { json } = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const event = await post('/emitEvent', { type: 'order.settled', order: json.public_id });
    expect(event).toMatchObject({ data: { order: { public_id: json.public_id } } });
    await post('/emitEvent', { type: 'partner.greeted', data: { hello: 1 } });
    await post(`/events/${event.id as string}/deliverAgain`);
    await post('/idle');
    expect(received.map(({ body }) => (JSON.parse(body) as Json).type)).toEqual([
      'order.recorded',
      'order.settled',
      'partner.greeted',
      'order.settled',
    ]);
    expect(emulator.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
  });
});

describe('faults over HTTP', () => {
  it('are armed, listed with what is left, and removed', async () => {
    const { post, get, call, emulator } = await start();
    await post('/faults/next', { fault: 'rateLimited(7)', times: 2 });
    await post('/faults/on', { match: 'POST /orders', fault: ['latency(0)', 'resetAfterWork'] });
    await post('/faults/deliveries/next', { fault: { late: '10 minutes' }, type: 'order.settled' });
    await post('/faults/history/late', { duration: '1 minute', times: 3 });
    await post('/faults/orderList/late', { duration: 2_000, times: null });
    const limited = await call('GET /orders');
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '7']);
    const armed = (await get('/faults')) as unknown as { id: string }[];
    expect(armed).toMatchObject([
      { target: 'calls', match: 'next', kinds: ['response'], title: 'status 429', left: 1 },
      { target: 'calls', match: 'POST /orders', kinds: ['latency', 'resetAfterWork'], left: null },
      { target: 'deliveries', match: 'order.settled', title: 'late', left: 1 },
      { target: 'history', match: 'all', kinds: ['late'], left: 3 },
      { target: 'orderList', match: 'all', kinds: ['late'], left: null },
    ]);
    for (const { id } of armed.slice(1)) await post(`/faults/${id}/remove`);
    expect(await get('/faults')).toMatchObject([{ match: 'next' }]);
    await post('/faults/clear');
    expect([await get('/faults'), emulator.faults.pending]).toEqual([[], 0]);
  });

  it.each([
    ['status', { name: 'status', status: 503, code: 'busy', afterWork: true }, 503],
    ['internalError', 'internalError', 500],
    ['html', { name: 'html', status: 502 }, 502],
    ['redirect', 'redirect(https://other.example)', 302],
    ['emptyBody', 'emptyBody', 200],
    ['slowBody', { name: 'slowBody', chunkBytes: 1_000, everyMs: 0 }, 200],
    ['wrongClock', 'wrongClock(400000)', 401],
    ['latency', { name: 'latency', duration: '1 millisecond' }, 200],
  ])('know %s', async (_name, fault, status) => {
    const { post, call } = await start();
    await post('/faults/next', { fault });
    expect((await call('GET /orders')).status).toBe(status);
  });
});

describe('the request log over HTTP', () => {
  it('shows verdict, reason, error code and the canonical lines of both sides', async () => {
    const { get, call } = await start();
    await call('POST /orders', { body: { domain: 'none.example' }, key: 'k1' });
    await call('GET /orders', { headers: { 'X-Market-Signature': `v1=${'0'.repeat(64)}` } });
    const [refused, wrong] = (await get('/requests')) as unknown as Json[];
    expect(refused).toMatchObject({
      status: 404,
      verdict: 'accepted',
      errorCode: 'not_found',
      errorMessage: 'none.example is not listed.',
      idempotencyKey: 'k1',
      body: '{"domain":"none.example"}',
    });
    const { expected, signed } = refused!.canonical as Record<string, Json>;
    expect(expected).toMatchObject({ method: 'POST', path: '/api/partner/v1/orders', query: '' });
    expect(signed).toEqual(expected);
    expect(wrong).toMatchObject({ verdict: 'invalid_signature', errorCode: 'invalid_signature' });
    expect(wrong!.canonical).toMatchObject({ expected: { method: 'GET' } });
    const one = await get(`/requests/${wrong!.requestId as string}`);
    expect(one).toEqual({ ...wrong, response: expect.anything() });
    expect(one.response).toMatchObject({
      status: 401,
      headers: { 'x-request-id': wrong!.requestId },
    });
    expect(await get('/requests?limit=1')).toEqual([wrong]);
  });

  it('shows which line was signed otherwise', async () => {
    const { emulator, get } = await start();
    const request = { method: 'GET', path: '/orders', timestamp: startOfTime / 1000 };
    const headers = signed(emulator.createCredential(), request);
    await emulator.fetch(`${emulator.baseUrl}/api/partner/v1/orders`, { headers });
    const [wrong] = (await get('/requests')) as unknown as Json[];
    expect(wrong!.canonical).toMatchObject({
      expected: { path: '/api/partner/v1/orders' },
      signed: { method: 'GET', path: '/orders' },
    });
  });
});

it('no secret is in any answer but the three that are for secrets', async () => {
  const { emulator, get, post, call, send } = await start();
  const { keyId, secret } = emulator.createCredential({ secret: 'the-signing-secret' });
  const body = { url: 'http://127.0.0.1:9/hook', secret: 'the-"webhook"-secret' };
  await call('PUT /api/partner/webhooks', { body });
  await call('PUT /api/partner/webhooks', {
    body: JSON.stringify(body, null, 2),
    headers: { Authorization: 'Bearer of-somebody' },
  });
  for (const path of ['/state', '/requests', '/credentials', '/deliveries', '/events']) {
    const { text } = await send('GET', path);
    expect(text).not.toMatch(/the-signing-secret|webhook\\*"-secret|of-somebody/);
  }
  expect(await get('/state')).toMatchObject({ webhooks: [{ url: body.url }] });
  expect(await post(`/credentials/${keyId}/revealSecret`)).toEqual({
    keyId,
    secret,
    webhookSecret: body.secret,
  });
  expect(await post('/credentials', { scopes: ['search'] })).toHaveProperty('secret');
  expect(JSON.stringify(await post('/snapshot'))).toContain(secret);
  expect((await send('GET', `/credentials/${keyId}/revealSecret`)).status).toBe(405);
});

describe('clock and state over HTTP', () => {
  it('move the clock', async () => {
    const { post, get } = await start();
    await post('/clock/advance', { duration: '11 minutes' });
    expect(await get('/clock')).toEqual({
      now: startOfTime + 660_000,
      iso: '2026-11-19T10:11:00.000Z',
      offsetMs: 660_000,
    });
    await post('/clock/set', { time: '2030-01-01T00:00:00Z' });
    expect(await get('/clock')).toMatchObject({ now: Date.parse('2030-01-01') });
    await post('/clock/set', { time: startOfTime });
    expect(await get('/clock')).toMatchObject({ offsetMs: 0 });
  });

  it('reset everything but credentials', async () => {
    const { emulator, post, get, call } = await start();
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    await post('/clock/advance', { duration: '1 day' });
    await post('/faults/next', { fault: 'internalError' });
    await post('/reset');
    expect(await get('/state')).toMatchObject({
      orders: [],
      events: [],
      faults: [],
      clock: { offsetMs: 0 },
      counts: { orders: 0, events: 0, requests: 0 },
    });
    const again = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(emulator.events.map(({ id }) => id)).toEqual(['evt_00000002']);
  });
});

describe('a snapshot', () => {
  it('brings everything back, in another emulator too', async () => {
    const first = await start({ webhookRetries: ['1 minute'] });
    const { url, received } = await receiver((response, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(),
    );
    const credential = first.emulator.createCredential({ partnerId: 'prt_7' });
    const call = caller(first.emulator, credential);
    await call('PUT /api/partner/webhooks', { body: { url, secret: 'whsec_1' } });
    const order = { body: { domain: 'brew.example' }, key: 'key-1' };
    const placed = await call('POST /orders', order);
    const quote = (await call('POST /quotes', { body: { domain: 'roast.example' } })).json;
    const checkout = { body: { domain: 'latte.example' } };
    const session = (await call('POST /checkout-session', checkout)).json;
    await first.emulator.idle();
    first.emulator.clock.advance('30 seconds');
    const snapshot = JSON.parse(JSON.stringify(await first.post('/snapshot'))) as object;

    const second = await start({ webhookRetries: ['1 minute'], seed: 2 });
    await second.post('/restore', { snapshot });
    const again = caller(second.emulator, credential);
    expect(second.emulator.clock.now()).toBe(first.emulator.clock.now());
    expect((await again('GET /orders')).json.data).toEqual((await call('GET /orders')).json.data);
    const replayed = await again('POST /orders', order);
    expect([replayed.headers['idempotent-replayed'], replayed.text]).toEqual(['true', placed.text]);
    const bought = await again('POST /orders', {
      body: { domain: 'roast.example', quote_id: quote.quote_id },
      key: 'key-2',
    });
    expect(bought.status).toBe(201);
    expect(bought.json.public_id).not.toBe(placed.json.public_id);
    second.emulator.admin.payCheckout(session.session_id);
    expect((await again('GET /availability?domain=brew.example')).json.available).toBe(false);
    const page = await second.emulator.fetch(session.checkout_url);
    expect(await page.text()).toContain('latte.example is paid');

    await second.emulator.idle();
    const before = received.length;
    second.emulator.clock.advance('30 seconds');
    await second.emulator.idle();
    expect(received.slice(before).map(({ body }) => (JSON.parse(body) as Json).id)).toEqual([
      'evt_00000001',
    ]);
  });

  it('is a copy: what happens later does not change it', async () => {
    const { emulator, call } = await start();
    const snapshot = emulator.snapshot();
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    emulator.restore(snapshot);
    expect(emulator.events).toEqual([]);
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    emulator.restore(snapshot);
    expect(emulator.events).toEqual([]);
  });
});

describe('webhooks to addresses that are not on loopback', () => {
  const register = async (options: EmulatorOptions, url: string) => {
    const { emulator, call } = await start(options);
    await call('PUT /api/partner/webhooks', { body: { url, secret: 'whsec_1' } });
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    await emulator.idle();
    return emulator.deliveries;
  };

  it.each(['https://partner.example/hook', 'http://10.0.0.1/hook', 'http://127.0.0.1.example/'])(
    'are not sent to %s',
    async (url) => {
      expect(await register({}, url)).toMatchObject([
        { url, outcome: 'failed', error: expect.stringContaining('deliverTo') as string },
      ]);
    },
  );

  it('are sent with deliverTo: "anywhere"', async () => {
    const options = { deliverTo: 'anywhere', webhookTimeoutMs: 200 } as const;
    const [attempt] = await register(options, 'http://name.invalid/hook');
    expect(attempt!.error).toMatch(/ENOTFOUND|EAI_AGAIN|no answer/);
  });

  it('are sent to the names of loopback', async () => {
    const { url } = await receiver();
    const [attempt] = await register({}, url.replace('127.0.0.1', 'localhost'));
    expect(attempt!.outcome).toBe('delivered');
  });
});
