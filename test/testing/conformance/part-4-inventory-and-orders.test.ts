import { describe, expect, it } from 'vitest';
import { freshEmulator } from '../emulator-fixture.js';
import { everyCall } from '../../specification.js';

const market = freshEmulator();

describe('part 4', () => {
  it('4: "The credential must hold the scope shown. A missing scope gives 403 forbidden."', async () => {
    for (const { call, scopes } of everyCall) {
      const body = call.startsWith('GET') ? undefined : {};
      const others = (
        ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const
      ).filter((scope) => !scopes.includes(scope));
      const refused = await market.as({ scopes: others })(call, { body, key: 'k' });
      expect(refused.status, call).toBe(403);
      for (const scope of scopes) {
        expect(refused.json.message, call).toContain(`"${scope}"`);
        const { status } = await market.as({ scopes: [scope] })(call, { body, key: 'k' });
        expect(status, call).not.toBe(403);
      }
    }
  });

  it('4: "All paths below are relative to {base_url}/api/partner/v1 unless stated otherwise."', async () => {
    for (const { call } of everyCall) {
      const body = call.startsWith('GET') ? undefined : {};
      await market.call(call, { body, key: 'k' });
      expect(market.emulator.requests.at(-1)!.endpoint, call).toBeDefined();
    }
    expect((await market.call('GET /webhooks')).json.code).toBe('not_found');
    expect((await market.call('DELETE /orders')).json.message).toContain(
      'POST /orders and GET /orders',
    );
  });

  it('4: "Bodies are JSON."', async () => {
    for (const body of ['domain=brew.example', '', '[]', 'null', '"text"']) {
      const { status, json } = await market.post('/quotes', body);
      expect(status).toBe(400);
      expect(json.code).toBe('validation_error');
    }
    const reply = await market.post('/quotes', { domain: 'brew.example' });
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('part 4.1', () => {
  const names = async (q: string): Promise<string[]> => {
    const { json } = await market.call(`GET /domains/search?q=${q}`);
    return json.data.map(({ domain }) => domain);
  };

  it('4.1: "Query q, required."', async () => {
    for (const query of ['', '?q=', '?q=%20', '?Q=coffee']) {
      const { status, json } = await market.call(`GET /domains/search${query}`);
      expect(status).toBe(400);
      expect(json.message).toContain('"q"');
    }
  });

  it('4.1: "List of at most 5 relevant domains (fewer if fewer match)."', async () => {
    expect(await names('coffee')).toHaveLength(5);
    market.emulator.admin.list({ domain: 'quartz.example', price_cents: 100 });
    expect(await names('quartz')).toEqual(['quartz.example']);
    expect(await names('zzzz')).toEqual([]);
  });

  it('4.1: "Hybrid semantic and keyword search, reranked."', async () => {
    expect((await names('brew'))[0]).toBe('brew.example');
    expect((await names('brew.example'))[0]).toBe('brew.example');
    expect((await names('rocket%20shop'))[0]).toMatch(/^rocket/);
    const found = await names('latte');
    const own = found.filter((name) => name.startsWith('latte'));
    expect(own.length).toBeGreaterThan(0);
    expect(found.slice(0, own.length)).toEqual(own);
    // The rest is of a like meaning, and found by no letter of the query.
    market.emulator.admin.list({
      domain: 'aroma.example',
      price_cents: 100,
      metadata: { category: 'coffee' },
    });
    expect(await names('latte')).toContain('aroma.example');
    expect(await names('rocket')).not.toContain('aroma.example');
  });

  it('4.1: "No bulk export."', async () => {
    expect((await market.call('GET /domains/search?q=e&limit=100')).json.data.length).toBeLessThan(
      6,
    );
    const { json } = await market.call('GET /domains/search?q=example&limit=100');
    expect(json.data.length).toBeLessThan(6);
    expect(json.next_cursor).toBeNull();
    expect((await market.call('GET /domains')).status).toBe(404);
  });

  it('4.1: "Single-domain detail: price, availability, metadata."', async () => {
    const { json } = await market.call('GET /domains/BREW.example.');
    expect(json).toEqual({
      domain: 'brew.example',
      available: true,
      price_cents: 250_000,
      floor_price_cents: 200_000,
      currency: 'USD',
      metadata: { category: 'coffee', words: ['brew'] },
    });
    expect((await market.call('GET /domains/none.example')).json.code).toBe('not_found');
    for (const wrong of ['brew', '-brew.example', 'br%20ew.example', '%E0%A4%A.example']) {
      expect((await market.call(`GET /domains/${wrong}`)).json.code).toBe('validation_error');
    }
    // What a URL parser repairs: a path, a query, an escape, a line break, an IP address.
    const repaired = ['brew.example/x', 'brew.example?x', 'brew.example\\x', 'brew%2Eexample'];
    for (const wrong of [...repaired, 'brew.ex\nample', '127.0.0.1', '0x7f.1', 'brew.1']) {
      const path = `GET /domains/${encodeURIComponent(wrong)}`;
      expect((await market.call(path)).json.code, wrong).toBe('validation_error');
    }
    market.emulator.admin.list({ domain: 'münchen.example', price_cents: 500 });
    for (const name of ['xn--mnchen-3ya.example', 'm%C3%BCnchen.example']) {
      expect((await market.call(`GET /domains/${name}`)).json.domain).toBe(
        'xn--mnchen-3ya.example',
      );
    }
  });

  it('4.1: "Yes/no plus price."', async () => {
    const { json } = await market.call('GET /availability?domain=brew.example');
    expect(json).toEqual({
      domain: 'brew.example',
      available: true,
      price_cents: 250_000,
      currency: 'USD',
    });
  });

  it('4.1: "An unlisted domain gives 200 with available set to false, not 404."', async () => {
    const { status, json } = await market.call('GET /availability?domain=none.example');
    expect(status).toBe(200);
    expect(json).toEqual({ domain: 'none.example', available: false });
  });

  it('4.1: "Buy-now price and floor price for one domain. 404 when the domain is not listed."', async () => {
    expect((await market.call('GET /pricing?domain=brew.example')).json).toEqual({
      domain: 'brew.example',
      buy_now_price_cents: 250_000,
      floor_price_cents: 200_000,
      currency: 'USD',
    });
    expect((await market.call('GET /pricing?domain=none.example')).status).toBe(404);
    expect((await market.call('GET /pricing')).json.message).toContain('"domain" is required');
  });
});

describe('part 4.2', () => {
  it('4.2: "Firm price, a 10-minute reservation and a signed quote token."', async () => {
    const { status, json } = await market.post('/quotes', { domain: 'brew.example' });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      domain: 'brew.example',
      price_cents: 250_000,
      currency: 'USD',
      expires_at: '2026-11-19T10:10:00.000Z',
    });
    expect(json.quote_token).toMatch(/^[\w-]+\.[\w-]{43}$/);
    expect((await market.post('/quotes', { domain: 'none.example' })).status).toBe(404);
    const other = market.as({ partnerId: 'prt_2' });
    expect((await other('POST /quotes', { body: { domain: 'brew.example' } })).status).toBe(404);
  });

  it('4.2: "The created order. Records a sale the partner already collected."', async () => {
    const { status, json } = await market.order('brew.example', { expected_price: 250_000 });
    expect(status).toBe(201);
    expect(json).toEqual({
      public_id: json.public_id,
      domain: 'brew.example',
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 250_000,
      currency: 'USD',
      created_at: '2026-11-19T10:00:00.000Z',
      updated_at: '2026-11-19T10:00:00.000Z',
    });
  });

  it('4.2: "Filters: status, domain, date range."', async () => {
    const first = (await market.order('brew.example')).json.public_id;
    market.emulator.clock.advance('1 day');
    const second = (await market.order('roast.example')).json.public_id;
    market.emulator.admin.startTransfer(second);
    const ids = async (query: string) => {
      const { json } = await market.call(`GET /orders?${query}`);
      return json.data.map((order) => order.public_id);
    };
    expect(await ids('')).toEqual([second, first]);
    expect(await ids('status=TRANSFER_IN_PROGRESS')).toEqual([second]);
    expect(await ids('status=SOMETHING_NEW')).toEqual([]);
    expect(await ids('domain=BREW.example')).toEqual([first]);
    expect(await ids('from=2026-11-20')).toEqual([second]);
    expect(await ids('to=2026-11-19')).toEqual([first]);
    expect(await ids('from=2026-11-19T10:00:00Z&to=2026-11-19T10:00:00Z')).toEqual([first]);
    expect(await ids('from=2026-11-20T11:00:00%2B01:00')).toEqual([second]);
    for (const wrong of ['from=yesterday', 'to=2026-02-30', 'from=2026-11-19T10:00', 'from=1']) {
      expect((await market.call(`GET /orders?${wrong}`)).json.code, wrong).toBe('validation_error');
    }
    const upsideDown = await market.call('GET /orders?from=2026-11-20&to=2026-11-19');
    expect(upsideDown.json.message).toContain('"from" must not be after "to"');
  });

  it('4.2: "Cursor pagination."', async () => {
    const domains = ['brew', 'coffee', 'roast', 'espresso', 'cafe'].map(
      (name) => `${name}.example`,
    );
    for (const domain of domains) await market.order(domain);
    const first = (await market.call('GET /orders?limit=2')).json;
    // What is recorded meanwhile moves nothing.
    await market.order('latte.example');
    const second = (await market.call(`GET /orders?limit=2&cursor=${first.next_cursor}`)).json;
    const third = (await market.call(`GET /orders?limit=2&cursor=${second.next_cursor}`)).json;
    const seen = [first, second, third].flatMap(({ data }) => data.map((order) => order.domain));
    expect(seen).toEqual([...domains].reverse());
    expect(third.next_cursor).toBeNull();
    for (const wrong of ['cursor=x', 'limit=0', 'limit=two', 'limit=-1', 'limit=1.5']) {
      expect((await market.call(`GET /orders?${wrong}`)).json.code, wrong).toBe('validation_error');
    }
    expect((await market.call(`GET /settlements?cursor=${first.next_cursor}`)).status).toBe(400);
    for (const many of ['5000', '9'.repeat(400)]) {
      expect((await market.call(`GET /orders?limit=${many}`)).status).toBe(200);
    }
  });

  it(`4.2: "List of the partner's orders."`, async () => {
    const { public_id } = (await market.order()).json;
    const other = market.as({ partnerId: 'prt_2' });
    expect((await other('GET /orders')).json.data).toEqual([]);
    expect((await other(`GET /orders/${public_id}`)).status).toBe(404);
    const same = market.as({ partnerId: 'prt_1', scopes: ['search'] });
    expect((await same('GET /orders')).json.data).toHaveLength(1);
  });

  it('4.2: "Order with transfer/fulfilment status and timeline."', async () => {
    const { public_id } = (await market.order()).json;
    const { json } = await market.call(`GET /orders/${public_id}`);
    expect(json.transfer.status).toBe('not_started');
    market.emulator.admin.startTransfer(public_id);
    market.emulator.admin.completeTransfer(public_id);
    expect((await market.call(`GET /orders/${public_id}`)).json.transfer.status).toBe('completed');
  });

  it('4.2: "POST /orders without Idempotency-Key gives missing_idempotency_key."', async () => {
    const body = { domain: 'brew.example' };
    for (const key of [undefined, '']) {
      const { status, json } = await market.call('POST /orders', {
        body,
        ...(key === undefined ? {} : { key }),
      });
      expect(status).toBe(400);
      expect(json.code).toBe('missing_idempotency_key');
    }
    expect(market.emulator.events).toEqual([]);
  });

  it('4.2: "The same Idempotency-Key with the same body fingerprint replays the stored response."', async () => {
    const { call, emulator } = market;
    const credential = market.as({});
    const attempt = { body: { domain: 'brew.example' }, key: 'order-1' };
    const first = await credential('POST /orders', attempt);
    emulator.admin.startTransfer(first.json.public_id);
    emulator.clock.advance('30 days');
    const again = await credential('POST /orders', attempt);
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect((await call('GET /orders')).json.data).toHaveLength(1);
    expect(emulator.events.filter(({ type }) => type === 'order.recorded')).toHaveLength(1);

    const refused = { body: { domain: 'roast.example', expected_price: 1 }, key: 'order-2' };
    const mismatch = await credential('POST /orders', refused);
    emulator.admin.reprice('roast.example', 1);
    const replayed = await credential('POST /orders', refused);
    expect(replayed.text).toBe(mismatch.text);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  it('4.2: "The same Idempotency-Key with a different body gives 409 conflict."', async () => {
    const credential = market.as({});
    await credential('POST /orders', { body: '{"domain":"brew.example"}', key: 'order-1' });
    for (const body of ['{"domain": "brew.example"}', '{"domain":"roast.example"}']) {
      const { status, json } = await credential('POST /orders', { body, key: 'order-1' });
      expect(status).toBe(409);
      expect(json.code).toBe('conflict');
    }
    const other = market.as({});
    expect(
      (await other('POST /orders', { body: '{"domain":"roast.example"}', key: 'order-1' })).status,
    ).toBe(201);
  });

  it('4.2: "An order that references an expired quote gives 422 quote_expired."', async () => {
    const { quote_id } = (await market.post('/quotes', { domain: 'brew.example' })).json;
    const other = await market.order('roast.example', { quote_id });
    expect(other.json.message).toContain('is for brew.example, not for roast.example');
    market.emulator.clock.advance('10 minutes');
    market.emulator.clock.advance(1);
    const { status, json } = await market.order('brew.example', { quote_id });
    expect(status).toBe(422);
    expect(json.code).toBe('quote_expired');
    expect((await market.order('brew.example', { quote_id: 'qt_none' })).status).toBe(400);
    expect(market.emulator.events).toEqual([]);
  });

  it('4.2: "A price that differs from the current listing price gives 422 price_mismatch."', async () => {
    market.emulator.admin.reprice('brew.example', 260_000);
    for (const fields of [
      { expected_price: 250_000 },
      { expected_price: 260_000, currency: 'EUR' },
    ]) {
      const { status, json } = await market.order('brew.example', fields);
      expect(status).toBe(422);
      expect(json.code).toBe('price_mismatch');
    }
    for (const expected_price of ['260000', 2600.5, -1, 1e300]) {
      expect((await market.order('brew.example', { expected_price })).status).toBe(400);
    }
    expect((await market.order('brew.example', { currency: 'usd' })).status).toBe(400);
    const fine = await market.order('brew.example', { expected_price: 260_000, currency: 'USD' });
    expect(fine.status).toBe(201);
  });

  it('4.2: "An unknown order gives 404 not_found."', async () => {
    for (const call of ['GET /orders/ord_none', 'GET /orders/__proto__']) {
      expect((await market.call(call)).json.code).toBe('not_found');
    }
    expect((await market.post('/refunds', { public_id: 'ord_none' })).status).toBe(404);
  });

  it('what was refused before the operation began is not stored under its key', async () => {
    const credential = market.as({});
    const wrong = await credential('POST /orders', { body: '{"domain":7}', key: 'order-1' });
    expect(wrong.status).toBe(400);
    const right = await credential('POST /orders', {
      body: '{"domain":"brew.example"}',
      key: 'order-1',
    });
    expect(right.status).toBe(201);
  });

  it('two calls of one key at the same moment record one order', async () => {
    const credential = market.as({});
    const attempt = { body: { domain: 'brew.example' }, key: 'order-1' };
    const replies = await Promise.all([1, 2, 3].map(() => credential('POST /orders', attempt)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(market.emulator.events).toHaveLength(1);
  });
});
