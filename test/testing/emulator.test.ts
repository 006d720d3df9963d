import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/client/profile/profile.js';
import {
  fault,
  MarketEmulator,
  type CredentialOptions,
  type EmulatorOptions,
} from 'market-partner-sdk/testing';
import { freshEmulator, startOfTime } from './emulator-fixture.js';
import { caller, sendRaw, signed } from './independent-signer.js';

const market = freshEmulator();

/** An emulator with other options, for the length of one test. */
async function using<Result>(
  options: EmulatorOptions,
  use: (emulator: MarketEmulator) => Promise<Result>,
): Promise<Result> {
  const emulator = await MarketEmulator.start({ clock: () => startOfTime, ...options });
  try {
    return await use(emulator);
  } finally {
    await emulator.stop();
  }
}

describe('starting and stopping', () => {
  it('listens on loopback, on a port of its own', async () => {
    expect(market.emulator.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await using({}, async ({ baseUrl }) => expect(baseUrl).not.toBe(market.emulator.baseUrl));
  });

  it('writes an IPv6 address as a URL has it', async () => {
    await using({ host: '::1' }, async ({ baseUrl }) => {
      expect(baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
    });
  });

  it('refuses a port that is taken', async () => {
    const port = Number(new URL(market.emulator.baseUrl).port);
    await expect(MarketEmulator.start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('stops more than once, and by asyncDispose', async () => {
    const emulator = await MarketEmulator.start();
    await emulator[Symbol.asyncDispose]();
    await emulator.stop();
    await expect(
      sendRaw(emulator.baseUrl, { method: 'GET', target: '/', headers: {} }),
    ).rejects.toThrow();
  });

  it.each([
    ['port', { port: 70_000 }],
    ['port', { port: 1.5 }],
    ['seed', { seed: -1 }],
    ['logSize', { logSize: 0 }],
    ['webhookTimeoutMs', { webhookTimeoutMs: 0 }],
    ['pathPrefix', { pathPrefix: 'gateway' }],
    ['pathPrefix', { pathPrefix: '/gateway/' }],
    ['profile', { profile: 'market.profile.json' }],
    ['profile.version', { profile: {} }],
    ['profile.errors.shape', { profile: { version: 1, errors: { shape: 'xml' } } }],
    ['webhookRetries.0', { webhookRetries: ['soon'] }],
    ['webhookRetries', { webhookRetries: '1 minute' }],
    ['clock', { clock: 5 }],
    ['onRequest', { onRequest: 'log' }],
    ['inventory', { inventory: { domain: 'brew.example', price_cents: 1 } }],
    ['inventory.0.domain', { inventory: [{ domain: 'nodots', price_cents: 1 }] }],
    ['inventory.0', { inventory: [5] }],
    ['inventory.0.price_cents', { inventory: [{ domain: 'brew.example' }] }],
    ['profil', { profil: { version: 1 } }],
  ])('refuses a wrong option by its name: %s', async (name, options) => {
    await expect(MarketEmulator.start(options as EmulatorOptions)).rejects.toThrow(`"${name}"`);
  });

  it.each([
    [{ domain: 'nodots', price_cents: 1 }, '"listing.domain"'],
    [{ domain: 'a.example', price_cents: 1.5 }, '"listing.price_cents"'],
    [{ domain: 'a.example', price_cents: 1, floor_price_cents: -1 }, '"listing.floor_price_cents"'],
    [{ domain: 'a.example', price_cents: 1, currency: 'euro' }, '"listing.currency"'],
  ])('refuses a wrong listing by its field: %j', (listing, message) => {
    expect(() => market.emulator.admin.list(listing)).toThrow(message);
  });
});

describe('the clock', () => {
  it('moves when asked to, and runs on from there', async () => {
    let real = startOfTime;
    await using({ clock: () => real }, async ({ clock }) => {
      const { now } = clock;
      clock.advance('11 minutes');
      expect(now()).toBe(startOfTime + 660_000);
      real += 5;
      expect(now()).toBe(startOfTime + 660_005);
      clock.set(new Date('2030-01-01T00:00:00Z'));
      real += 7;
      expect(new Date(now()).toISOString()).toBe('2030-01-01T00:00:00.007Z');
      clock.set(1_000);
      clock.advance('1.5 seconds');
      clock.advance('2 weeks');
      expect(now()).toBe(1_000 + 1_500 + 1_209_600_000);
    });
  });

  it('refuses what is not a time', () => {
    const { clock } = market.emulator;
    for (const wrong of ['11', 'minutes', '-1 minutes', '1 year', -1, NaN, Infinity]) {
      expect(() => clock.advance(wrong as number)).toThrow(/"duration"/);
    }
    expect(() => clock.set(new Date('never'))).toThrow(/"time"/);
    expect(() => clock.set(NaN)).toThrow(/"time"/);
    expect(() => clock.set('2030-01-01' as never)).toThrow(/"time"/);
  });
});

describe('credentials', () => {
  it('are the same for the same seed, and others for another', async () => {
    const [one, two, three] = await Promise.all(
      [1, 1, 2].map((seed) => using({ seed }, async (emulator) => emulator.createCredential())),
    );
    expect(two).toEqual(one);
    expect(three!.keyId).not.toBe(one!.keyId);
  });

  it('may be given, to replay what was recorded', async () => {
    const given = { keyId: 'mk_test_7', secret: '0' };
    expect(market.emulator.createCredential(given)).toMatchObject({
      ...given,
      environment: 'test',
    });
    expect(() => market.emulator.createCredential(given)).toThrow('in use already');
    expect(() => market.emulator.createCredential({ keyId: ' ' })).toThrow(/"keyId"/);
    // Without its list it would have every scope.
    const misspelled = { scope: ['search'] } as CredentialOptions;
    expect(() => market.emulator.createCredential(misspelled)).toThrow('"scope" is not an option');
    expect(() => market.emulator.createCredential({ secret: '' })).toThrow(/"secret"/);
    expect(() =>
      market.emulator.createCredential({ keyId: 'mk_live_1', environment: 'sandbox' }),
    ).toThrow(/"environment"/);
    expect(() => market.emulator.createCredential({ environment: 'moon' as 'live' })).toThrow(
      /"environment"/,
    );
  });
});

describe('what arrived', () => {
  it('is kept as it stood on the wire', async () => {
    const target = '/api/partner/v1/orders/%7Ex?b=%32&a';
    await sendRaw(market.emulator.baseUrl, {
      method: 'POST',
      target,
      headers: { 'X-Custom': 'Value' },
      body: '{"a":1}',
    });
    const [request] = market.emulator.requests;
    expect(request).toMatchObject({
      method: 'POST',
      rawPath: '/api/partner/v1/orders/%7Ex',
      path: '/api/partner/v1/orders/%7Ex',
      query: 'b=%32&a',
      json: { a: 1 },
      receivedAt: startOfTime,
      verdict: 'missing_credentials',
      reason: 'The header X-Market-Key-Id is missing.',
      status: 401,
      endpoint: undefined,
      faults: [],
    });
    expect(request!.headers['x-custom']).toBe('Value');
    expect(request!.body.toString()).toBe('{"a":1}');
    await market.post('/quotes', 'not json');
    expect(market.emulator.requests[1]!.json).toBeUndefined();
  });

  it('has the response that the service wrote, also where the client did not get it', async () => {
    const { faults, requests } = market.emulator;
    faults.next(fault.resetAfterWork());
    await expect(market.order()).rejects.toThrow();
    faults.next(fault.resetBeforeWork());
    await expect(market.call('GET /orders')).rejects.toThrow();
    const list = await market.call('GET /orders');
    const [lost, reset, listed] = requests;
    expect([lost!.status, lost!.response?.status]).toEqual([undefined, 201]);
    expect(lost!.response!.body).toContain('"domain":"brew.example"');
    expect(reset!.response).toBeUndefined();
    expect(listed!.response).toMatchObject({ status: 200, body: list.text });
    expect(listed!.response!.headers['x-request-id']).toBe(listed!.requestId);
  });

  it('is bounded in number and in bytes, the latest last', async () => {
    await using({ logSize: 3 }, async (emulator) => {
      const call = caller(emulator, emulator.createCredential());
      const { requests } = emulator;
      for (const name of 'abcde') await call(`GET /pricing?domain=${name}.example`);
      expect(requests.map(({ query }) => query)).toEqual([
        'domain=c.example',
        'domain=d.example',
        'domain=e.example',
      ]);
    });
    for (let count = 0; count < 40; count += 1) {
      await market.post('/quotes', 'x'.repeat(1_000_000));
    }
    expect(market.emulator.requests.length).toBeLessThan(35);
  });

  it('is passed to onRequest when its response is sent', async () => {
    const lines: string[] = [];
    const onRequest: EmulatorOptions['onRequest'] = ({ method, path, status, verdict }) => {
      lines.push(`${method} ${path} ${status ?? '-'} ${verdict}`);
    };
    await using({ onRequest }, async (emulator) => {
      await caller(emulator, emulator.createCredential())('GET /orders');
    });
    expect(lines).toEqual(['GET /api/partner/v1/orders 200 accepted']);
  });
});

it('behind a gateway the prefix is part of the base URL and of the signed path', async () => {
  await using({ pathPrefix: '/gateway' }, async (emulator) => {
    const credential = emulator.createCredential();
    const timestamp = startOfTime / 1000;
    const path = '/gateway/api/partner/v1/orders';
    expect(emulator.baseUrl.endsWith('/gateway')).toBe(true);
    const send = (signedPath: string, method = 'GET') =>
      sendRaw(emulator.baseUrl, {
        method,
        target: path,
        headers: signed(credential, { method, path: signedPath, timestamp }),
      });
    expect((await send(path)).status).toBe(200);
    expect(emulator.requests.at(-1)).toMatchObject({
      rawPath: path,
      path: '/api/partner/v1/orders',
      endpoint: 'GET /orders',
    });
    expect((await send('/api/partner/v1/orders')).json.message).toContain('line 2 (PATH)');
    expect((await send(path, 'DELETE')).json.message).toContain(
      `DELETE ${path}. At this path there is POST /orders and GET /orders.`,
    );
    const session = await caller(emulator, credential)('POST /checkout-session', {
      body: { domain: 'brew.example' },
    });
    expect((await emulator.fetch(session.json.checkout_url)).status).toBe(200);
  });
});

describe('shapes that the specification leaves open', () => {
  it.each([
    ['data', { data: [], next_cursor: null }],
    ['items', { items: [], next_cursor: null }],
    ['results', { results: [], next_cursor: null }],
    ['{noun}', { orders: [], next_cursor: null }],
    ['', []],
  ] as const)('lists: "%s"', async (items, expected) => {
    await using({ profile: { version: 1, lists: { items } } }, async (emulator) => {
      const call = caller(emulator, emulator.createCredential());
      expect((await call('GET /orders')).json).toEqual(expected);
      expect((await call('GET /events')).json).toEqual({ events: [], next_cursor: null });
      expect((await call('GET /domains/search?q=brew')).status).toBe(200);
    });
  });

  it('a list without pages has everything', async () => {
    const profile: Profile = { version: 1, lists: { items: '' }, paging: { by: 'none' } };
    await using({ profile }, async (emulator) => {
      const call = caller(emulator, emulator.createCredential());
      for (const name of ['brew', 'roast']) {
        await call('POST /orders', { body: { domain: `${name}.example` }, key: name });
      }
      expect((await call('GET /orders?limit=1')).json).toHaveLength(2);
    });
  });

  it.each([
    [{}, { code: 'missing_credentials', message: expect.any(String) as string }],
    [
      { code: 'error.code', message: 'error.message' },
      { error: { code: 'missing_credentials', message: expect.any(String) as string } },
    ],
    [
      { code: 'error', message: 'message' },
      { error: 'missing_credentials', message: expect.any(String) as string },
    ],
  ] as const)('errors: %j', async (errors, expected) => {
    await using({ profile: { version: 1, errors } }, async (emulator) => {
      const reply = await emulator.fetch('http://market.example/api/partner/v1/orders');
      expect(await reply.json()).toEqual(expected);
    });
  });
});

describe('the inventory', () => {
  it('is a few hundred domains of reserved suffixes with whole prices', async () => {
    const names = new Set<string>();
    for (const q of ['example', 'test', 'shop', 'brew', 'rocket', 'money', 'school']) {
      const { data } = (await market.call(`GET /domains/search?q=${q}`)).json;
      for (const { domain, ...listing } of data) {
        names.add(domain);
        expect(Number.isSafeInteger(listing.price_cents)).toBe(true);
        expect(Number.isSafeInteger(listing.floor_price_cents)).toBe(true);
      }
    }
    for (const name of names) expect(name).toMatch(/\.(example|test)$/);
  });

  it('may be one’s own', async () => {
    const inventory = [{ domain: 'Mine.example', price_cents: 700, currency: 'EUR' }];
    await using({ inventory }, async (emulator) => {
      const call = caller(emulator, emulator.createCredential());
      expect((await call('GET /pricing?domain=mine.example')).json).toEqual({
        domain: 'mine.example',
        buy_now_price_cents: 700,
        floor_price_cents: 560,
        currency: 'EUR',
      });
      expect((await call('GET /pricing?domain=brew.example')).status).toBe(404);
      expect(
        (await call('POST /quotes', { body: { domain: 'mine.example', currency: 'USD' } })).status,
      ).toBe(422);
    });
  });

  it('is changed by staff, in the environment that they name', async () => {
    const { admin } = market.emulator;
    admin.reprice('brew.example', 100);
    expect((await market.call('GET /pricing?domain=brew.example')).json).toMatchObject({
      buy_now_price_cents: 100,
      floor_price_cents: 100,
    });
    admin.delist('brew.example');
    expect((await market.call('GET /pricing?domain=brew.example')).status).toBe(404);
    admin.reprice('brew-live.example', 900, 'live');
    const live = market.as({ environment: 'live' });
    expect((await live('GET /pricing?domain=brew-live.example')).json.buy_now_price_cents).toBe(
      900,
    );
    expect(() => admin.delist('brew.example')).toThrow(/not listed/);
    expect(() => admin.reprice('brew.example', 1)).toThrow(/not listed/);
    expect(() => admin.reprice('roast.example', 1.5)).toThrow(/"price_cents"/);
    expect(() => admin.delist('nodots')).toThrow(/"domain"/);
    expect(() => admin.holdNextOrder(0)).toThrow(/"count"/);
    expect(() => admin.hold('ord_none')).toThrow(/no order/);
  });
});

describe('a refund that waits', () => {
  const request = (id: string) => market.post('/refunds', { public_id: id, reason: 'withdrew' });
  const idOfOrder = async () => (await market.order()).json.public_id;

  it('changes nothing until the staff decide on it', async () => {
    const { admin } = market.emulator;
    const [denied, done] = [
      await idOfOrder(),
      (await market.order('roast.example')).json.public_id,
    ];
    admin.holdNextRefund(2);
    for (const id of [denied, done]) {
      expect((await request(id)).json).toMatchObject({ public_id: id, status: 'PENDING' });
      expect((await request(id)).json).toMatchObject({ code: 'conflict' });
      expect((await market.call(`GET /orders/${id}`)).json.status).toBe('EXTERNALLY_PAID');
    }
    expect(admin.denyRefund(denied).status).toBe('EXTERNALLY_PAID');
    expect((await request(denied)).json.message).toContain('denied');
    expect((await market.call(`GET /orders/${denied}`)).json.timeline.at(-1)).toMatchObject({
      status: 'EXTERNALLY_PAID',
      event: null,
      note: 'The refund was denied.',
    });
    expect(admin.refund(done).status).toBe('REFUNDED');
    expect((await request(done)).json.message).toContain('REFUNDED');
    expect(() => admin.denyRefund(done)).toThrow(/is REFUNDED/);
  });

  it('is denied only where one waits, and the next request is done', async () => {
    const id = await idOfOrder();
    expect(() => market.emulator.admin.denyRefund(id)).toThrow(/with a refund that waits/);
    expect((await request(id)).json.status).toBe('REFUNDED');
  });

  it('outlives a snapshot', async () => {
    const { emulator } = market;
    const id = await idOfOrder();
    emulator.admin.holdNextRefund();
    emulator.restore(emulator.snapshot());
    expect((await request(id)).json.status).toBe('PENDING');
    emulator.restore(emulator.snapshot());
    expect(emulator.admin.denyRefund(id).status).toBe('EXTERNALLY_PAID');
  });
});

it('unforeseen errors are answered as internal_error, and are not stored under the key', async () => {
  let isBroken = false;
  const clock = () => {
    if (isBroken && new Error().stack?.includes('recordOrder')) throw new Error('no time');
    return startOfTime;
  };
  await using({ clock }, async (emulator) => {
    const call = caller(emulator, emulator.createCredential());
    const attempt = { body: { domain: 'brew.example' }, key: 'k' };
    isBroken = true;
    const failed = await call('POST /orders', attempt);
    expect([failed.status, failed.json]).toEqual([
      500,
      { code: 'internal_error', message: 'no time' },
    ]);
    isBroken = false;
    expect((await call('POST /orders', attempt)).status).toBe(201);
  });
});

it('a thousand calls at once are answered, each with its own request id, and the log stays bounded', async () => {
  const call = market.as({});
  const replies = await Promise.all(
    Array.from({ length: 1_000 }, () => call('GET /pricing?domain=brew.example')),
  );
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(1_000);
  await call('GET /orders');
  expect(market.emulator.requests).toHaveLength(1_000);
});
