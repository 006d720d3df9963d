import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { fault, type Fault } from 'market-partner-sdk/testing';
import { freshEmulator, startOfTime } from './emulator-fixture.js';
import { sendRaw, signed } from './independent-signer.js';

const market = freshEmulator();
const path = '/api/partner/v1/orders';

/** One signed call over a real socket. */
function overSocket(body?: string) {
  const credential = market.emulator.createCredential();
  const method = body === undefined ? 'GET' : 'POST';
  const headers = signed(credential, {
    method,
    path,
    timestamp: startOfTime / 1000,
    ...(body === undefined ? {} : { body }),
  });
  return sendRaw(market.emulator.baseUrl, {
    method,
    target: path,
    headers: { ...headers, 'Idempotency-Key': 'k' },
    ...(body === undefined ? {} : { body }),
  });
}

it('takes an option that is undefined as one that is left out', () => {
  const none = undefined;
  expect(fault.internalError({ afterWork: none })).toEqual(fault.internalError());
  expect(fault.html(502, { afterWork: none, body: none })).toEqual(fault.html(502));
  expect(fault.slowBody({ chunkBytes: none, everyMs: none })).toEqual(fault.slowBody());
  expect(fault.endlessBody({ everyMs: none })).toEqual(fault.endlessBody());
  expect(fault.staleList({ ageSeconds: none, showAge: none })).toEqual(fault.staleList());
});

it('a function that matches calls sees the body, so that a fault is for one domain alone', async () => {
  const domainOf = (json: unknown) => (json as { domain?: string } | undefined)?.domain;
  market.emulator.faults.on(({ json }) => domainOf(json) === 'brew.example', fault.internalError());
  const statusOf = async (domain: string) =>
    (await market.call('POST /orders', { body: { domain }, key: domain })).status;
  expect(await statusOf('brew.example')).toBe(500);
  expect(await statusOf('roast.example')).toBe(201);
  expect((await market.call('GET /orders')).status).toBe(200);
});

describe('answers that take the place of the service’s own', () => {
  it('have any status, code, message, headers and body', async () => {
    const { faults } = market.emulator;
    faults.next(fault.status(503, { headers: { 'Retry-After': '3' }, message: 'Down.' }));
    const down = await market.call('GET /orders');
    expect(down.status).toBe(503);
    expect(down.headers['retry-after']).toBe('3');
    expect(down.json).toEqual({ code: 'status_503', message: 'Down.' });
    faults.next(fault.status(418, { code: 'teapot' }));
    expect((await market.call('GET /orders')).json.code).toBe('teapot');
    faults.next(fault.status(200, { body: { data: 'odd' } }));
    expect((await market.call('GET /orders')).json).toEqual({ data: 'odd' });
    faults.next(fault.status(200, { body: '{"data":' }));
    expect((await market.call('GET /orders')).text).toBe('{"data":');
    faults.next(fault.redirect('https://elsewhere.example/'));
    expect((await overSocket()).headers.location).toBe('https://elsewhere.example/');
    faults.next(fault.html());
    const html = await market.call('GET /orders');
    expect([html.status, html.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
    expect(html.text).toContain('<h1>Bad Gateway</h1>');
    faults.next(fault.status(204));
    expect((await market.call('GET /orders')).text).toBe('');
    for (const status of [99, 600, 429.5]) expect(() => fault.status(status)).toThrow(/"status"/);
  });

  it('come before the work by default', async () => {
    const body = { domain: 'brew.example' };
    market.emulator.faults.next(fault.internalError());
    await market.call('POST /orders', { body, key: 'k' });
    expect(market.emulator.events).toHaveLength(0);
    market.emulator.faults.next(fault.html(502, { afterWork: true }));
    const credential = market.as({});
    expect((await credential('POST /orders', { body, key: 'k' })).status).toBe(502);
    expect(market.emulator.events).toHaveLength(1);
    expect((await credential('POST /orders', { body, key: 'k' })).status).toBe(201);
    expect(market.emulator.events).toHaveLength(1);
  });

  it('leave the verdict as it is: a nonce used under a fault is used', async () => {
    const call = market.as({});
    market.emulator.faults.next(fault.internalError());
    await call('GET /orders', { nonce: 'n1' });
    expect(market.emulator.requests.at(-1)).toMatchObject({
      verdict: 'accepted',
      status: 500,
      faults: ['response'],
      endpoint: 'GET /orders',
    });
    expect((await call('GET /orders', { nonce: 'n1' })).json.code).toBe('replay_detected');
  });
});

describe('connections that fail, over a real socket and as a function', () => {
  const order = '{"domain":"brew.example"}';
  const asFunction = () => market.call('POST /orders', { body: order, key: 'k' });

  describe.each([
    ['socket', () => overSocket(order), { code: 'ECONNRESET' }],
    ['function', asFunction, { cause: { code: 'ECONNRESET' } }],
  ])('(%s)', (_way, send, reset) => {
    it('a reset before the work does nothing', async () => {
      market.emulator.faults.next(fault.resetBeforeWork());
      await expect(send()).rejects.toMatchObject(reset);
      expect(market.emulator.events).toHaveLength(0);
      const [request] = market.emulator.requests;
      expect(request).toMatchObject({ verdict: 'accepted', status: undefined });
    });

    it('a reset after the work has recorded the order', async () => {
      market.emulator.faults.next(fault.resetAfterWork());
      await expect(send()).rejects.toThrow();
      expect(market.emulator.events).toHaveLength(1);
    });

    it('a broken body promises more than it sends', async () => {
      market.emulator.faults.next(fault.brokenBody());
      await expect(send()).rejects.toThrow(/aborted|terminated/);
      expect(market.emulator.events).toHaveLength(1);
    });
  });

  it('an empty body has the status and headers of the real answer', async () => {
    market.emulator.faults.next(fault.emptyBody(), { times: 2 });
    for (const reply of [await overSocket(), await market.call('GET /orders')]) {
      expect([reply.status, reply.text]).toEqual([200, '']);
      expect(reply.headers['content-type']).toContain('application/json');
    }
  });

  it('a slow body is whole in the end', async () => {
    market.emulator.faults.next(fault.slowBody({ chunkBytes: 9, everyMs: 0 }), { times: 2 });
    for (const reply of [await overSocket(), await market.call('GET /orders')]) {
      expect(reply.json).toEqual({ data: [], next_cursor: null });
    }
    expect(() => fault.slowBody({ chunkBytes: 0 })).toThrow(/"chunkBytes"/);
    expect(() => fault.slowBody({ everyMs: -1 })).toThrow(/"everyMs"/);
  });

  it('an endless body goes on until the client has had enough', async () => {
    market.emulator.faults.next(fault.endlessBody({ everyMs: 0 }), { times: 2 });
    const response = await market.emulator.fetch(`http://market.example${path}`);
    const reader = response.body!.getReader();
    let length = 0;
    while (length < 20_000) {
      const { value } = (await reader.read()) as { value: Uint8Array };
      length += value.length;
    }
    await reader.cancel();

    const socket = connect(Number(new URL(market.emulator.baseUrl).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    let received = 0;
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received > 20_000) break;
    }
    expect(received).toBeGreaterThan(20_000);
  });

  it('latency holds the answer back, not the work, and an abort ends the wait', async () => {
    market.emulator.faults.next(fault.latency(Infinity));
    const controller = new AbortController();
    const sent = market.call('POST /orders', { body: order, key: 'k', signal: controller.signal });
    while (market.emulator.events.length === 0) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    market.emulator.faults.next(fault.latency(1), { times: 2 });
    expect((await market.call('GET /orders')).json.data).toHaveLength(1);
    expect((await overSocket()).status).toBe(200);
    const [never, late, ...others] = market.emulator.requests.map(({ durationMs }) => durationMs);
    expect([never, late! >= 1, others.length]).toEqual([Infinity, true, 1]);
    expect(() => fault.latency('2 fortnights' as '2 minutes')).toThrow(/"duration"/);
    await expect(market.call('GET /orders', { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('a wrong clock is wrong in verification and in the Date header', async () => {
    market.emulator.faults.on('/orders', fault.wrongClock(-3_600_000));
    const refused = await market.call('GET /orders');
    expect(refused.json.code).toBe('invalid_timestamp');
    expect(Date.parse(refused.headers.date!)).toBe(startOfTime - 3_600_000);
    const corrected = { timestamp: startOfTime / 1000 - 3600 };
    expect((await market.call('GET /orders', corrected)).status).toBe(200);
    const quote = await market.post('/quotes', { domain: 'brew.example' });
    expect(quote.json.expires_at).toBe('2026-11-19T10:10:00.000Z');
    expect(() => fault.wrongClock(NaN)).toThrow(/"offsetMs"/);
  });
});

describe('which calls a fault strikes', () => {
  const statuses = async (...calls: string[]) => {
    const found: number[] = [];
    for (const call of calls) found.push((await market.call(call)).status);
    return found;
  };

  it('next is for one call after the other', async () => {
    market.emulator.faults.next(fault.status(500));
    market.emulator.faults.next(fault.status(503), { times: 2 });
    expect(market.emulator.faults.pending).toBe(3);
    expect(await statuses('GET /orders', 'GET /links', 'GET /orders', 'GET /orders')).toEqual([
      500, 503, 503, 200,
    ]);
    market.emulator.faults.next(fault.status(500), { times: Infinity });
    expect(market.emulator.faults.pending).toBe(Infinity);
    expect(await statuses('GET /orders', 'GET /orders')).toEqual([500, 500]);
    market.emulator.faults.clear();
    expect(await statuses('GET /orders')).toEqual([200]);
  });

  it.each([
    ['GET /orders', [500, 404, 200]],
    ['/orders', [500, 404, 200]],
    ['GET /orders/{public_id}', [200, 500, 200]],
    ['/orders/ord_1', [200, 500, 200]],
    ['GET /api/partner/v1/links', [200, 404, 500]],
    [/GET .*\/orders/g, [500, 500, 200]],
    [({ path }: { path: string }) => path.endsWith('links'), [200, 404, 500]],
  ])('on %s', async (match, expected) => {
    market.emulator.faults.on(match, fault.status(500));
    for (let round = 0; round < 2; round += 1) {
      expect(await statuses('GET /orders', 'GET /orders/ord_1', 'GET /links')).toEqual(expected);
    }
  });

  it.each(['GET /nothing', 'orders', 'DELETE /orders', '/orders/a/b', 'POST orders', ''])(
    'a match that no call can have is refused: %j',
    (match) => {
      expect(() => market.emulator.faults.on(match, fault.status(500))).toThrow(/"match"/);
    },
  );

  it('times bounds a match', async () => {
    market.emulator.faults.on('/orders', fault.status(500), { times: 2 });
    expect(await statuses('GET /orders', 'GET /orders', 'GET /orders')).toEqual([500, 500, 200]);
    for (const times of [0, -1, 1.5]) {
      expect(() => market.emulator.faults.next(fault.status(500), { times })).toThrow(/"times"/);
    }
  });

  it('latency and a wrong clock add to another fault, of others the first strikes', async () => {
    const { faults } = market.emulator;
    faults.on('/orders', fault.wrongClock(5_000));
    faults.on('/orders', fault.status(503), { times: 1 });
    faults.on('/orders', fault.status(500), { times: 1 });
    faults.next([fault.latency(1), fault.status(429)]);
    const first = await market.call('GET /orders');
    expect([first.status, Date.parse(first.headers.date!)]).toEqual([429, startOfTime + 5_000]);
    expect(market.emulator.requests.at(-1)!.faults).toEqual(['latency', 'response', 'wrongClock']);
    expect(await statuses('GET /orders', 'GET /orders', 'GET /orders')).toEqual([503, 500, 200]);
  });

  it('a plain object does as well as the function that makes it', async () => {
    const plain: Fault = { kind: 'wrongClock', offsetMs: 400_000 };
    market.emulator.faults.next(plain);
    expect((await market.call('GET /orders')).json.code).toBe('invalid_timestamp');
  });
});

it('a reset before the work also keeps the visit of a tracking link from being counted', async () => {
  const { url } = (await market.post('/links', { type: 'generic' })).json;
  market.emulator.faults.next(fault.resetBeforeWork());
  await expect(market.emulator.fetch(url)).rejects.toThrow();
  expect((await market.call('GET /me/clicks')).json.total).toBe(0);
  await market.emulator.fetch(url);
  expect((await market.call('GET /me/clicks')).json.total).toBe(1);
});

it('a match that throws shows, over a socket and as a function', async () => {
  market.emulator.faults.on(() => {
    throw new Error('my mistake');
  }, fault.internalError());
  const reply = await overSocket();
  expect([reply.status, reply.text]).toEqual([500, 'Error: my mistake']);
  await expect(market.call('GET /orders')).rejects.toThrow('my mistake');
});

it('in front of msw the emulator is one line', async () => {
  const server = setupServer(
    http.all('https://market.example/*', ({ request }) =>
      market.emulator.fetch(request).catch(() => Response.error()),
    ),
  );
  server.listen();
  try {
    const credential = market.emulator.createCredential();
    const send = () =>
      fetch(`https://market.example${path}`, {
        headers: signed(credential, { method: 'GET', path, timestamp: startOfTime / 1000 }),
      });
    expect((await send()).status).toBe(200);
    market.emulator.faults.next(fault.resetBeforeWork());
    await expect(send()).rejects.toThrow();
  } finally {
    server.close();
  }
});
