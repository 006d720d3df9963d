import { describe, expect, it } from 'vitest';
import { InvalidRequestError, type MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { credential, mockMarket, okBody } from '../../support/mock-market.js';

/** Hands over what the types forbid. */
const untyped = (value: unknown) => value as never;

const pathsOf = (error: unknown) =>
  error instanceof InvalidRequestError ? error.issues.map(({ path }) => path) : [];

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };

const v1 = '/api/partner/v1';

/** Of each kind one: `messages.test.ts` has every rule of every call. */
const rows: readonly {
  readonly title: string;
  readonly invoke: (market: MarketClient) => PromiseLike<unknown>;
  readonly call: string;
  readonly path: string;
}[] = [
  {
    title: 'a URL for a domain',
    invoke: (market) => market.domains.get('https://brew.example/'),
    call: `GET ${v1}/domains/{name}`,
    path: 'name',
  },
  {
    title: 'a country of three letters in the buyer',
    invoke: (market) => market.orders.create({ ...order, buyer: { country: 'GBR' } }),
    call: `POST ${v1}/orders`,
    path: 'buyer.country',
  },
  {
    title: 'what JSON cannot hold, in a field that is passed through',
    invoke: (market) => market.orders.create(untyped({ ...order, note: () => 'no' })),
    call: `POST ${v1}/orders`,
    path: 'note',
  },
  {
    title: 'an id that would leave its place in the path',
    invoke: (market) => market.orders.get('../../webhooks'),
    call: `GET ${v1}/orders/{public_id}`,
    path: 'publicId',
  },
  {
    title: 'an id that spells the path of another call',
    invoke: (market) => market.brokerage.getCase('Eligibility'),
    call: `GET ${v1}/brokerage/{case_id}`,
    path: 'caseId',
  },
  {
    title: 'a page of no records',
    invoke: (market) => market.orders.listSettlements({ limit: 0 }),
    call: `GET ${v1}/settlements`,
    path: 'limit',
  },
  {
    title: 'a limit with a fraction for payouts',
    invoke: (market) => market.referral.listPayouts({ limit: 2.5 }),
    call: `GET ${v1}/me/payouts`,
    path: 'limit',
  },
  {
    title: 'analytics of no dates',
    invoke: (market) => market.referral.getAnalytics({}),
    call: `GET ${v1}/analytics`,
    path: 'range',
  },
  {
    title: 'a webhook address that is not http',
    invoke: (market) => market.events.registerWebhook({ url: 'ftp://shop.example', secret: 's' }),
    call: 'PUT /api/partner/webhooks',
    path: 'url',
  },
];

describe('input that breaks a rule', () => {
  for (const { title, invoke, call, path } of rows) {
    it(`refuses ${title} by rejecting, with the call and the field, and sends nothing`, async () => {
      const { market, sent } = mockMarket(() => ({}));
      const error = await rejectionOf(invoke(market));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error.message).toContain(call);
      expect(error.message).toContain('Nothing was sent');
      expect(error).toMatchObject({
        method: call.split(' ')[0],
        path: call.split(' ')[1],
        attempts: 0,
        outcome: 'not_sent',
      });
      expect(pathsOf(error)).toContain(path);
      expect(sent).toEqual([]);
    });
  }

  it('lists every broken rule of an order at once', async () => {
    const { market } = mockMarket(() => ({}));
    const error = await rejectionOf(
      market.orders.create({ domain: 'x', expected_price: -1, currency: 'dollars' }),
    );
    expect(pathsOf(error)).toEqual(['domain', 'expected_price', 'currency']);
  });

  it("is not the credential's own secret: that is never sent", async () => {
    const { market, sent } = mockMarket(() => ({}));
    for (const secret of [credential.secret, ` ${credential.secret}\n`]) {
      const url = 'https://shop.example/hooks';
      const error = await rejectionOf(market.events.registerWebhook({ url, secret }));
      expect(error.message).toContain(`"secret" must not be the credential's secret`);
      const raw = { method: 'PUT', path: '/api/partner/webhooks', body: { url, secret } };
      expect((await rejectionOf(market.request(raw))).message).toContain("the credential's secret");
      expect(JSON.stringify(error)).not.toContain(credential.secret);
    }
    expect(sent).toEqual([]);
  });

  it("has the path on the wire, with the gateway's prefix", async () => {
    const { market } = mockMarket(() => ({}), { baseUrl: 'https://gw.example/market' });
    const pathOf = async (call: PromiseLike<unknown>) => (await rejectionOf(call)).path;
    expect(await pathOf(market.orders.get('a/b'))).toBe(`/market${v1}/orders/{public_id}`);
    expect(await pathOf(market.orders.get('ord_1', { timeoutMs: 0 }))).toBe(
      `/market${v1}/orders/ord_1`,
    );
    expect(await pathOf(market.orders.list({ limit: 0 }))).toBe(`/market${v1}/orders`);
    expect(await pathOf(market.orders.waitFor('ord_1', {} as never))).toBe(
      `/market${v1}/orders/ord_1`,
    );
    expect(await pathOf(market.request({ path: '/quotes', body: { domain: 5 } }))).toBe(
      `/market${v1}/quotes`,
    );
  });

  it('is not repeated in the message where it is a secret', async () => {
    const { market } = mockMarket(() => ({}));
    const error = await rejectionOf(
      market.events.registerWebhook({ url: 'nowhere', secret: 'whsec_5f0d' }),
    );
    expect(JSON.stringify(error)).not.toContain('whsec_5f0d');
  });
});

describe('options of a call that break a rule', () => {
  const options: readonly [string, object, string][] = [
    ['a time of zero', { timeoutMs: 0 }, 'timeoutMs'],
    ['a deadline that no timer can hold', { deadlineMs: 2 ** 31 }, 'deadlineMs'],
    ['retries below zero', { maxRetries: -1 }, 'maxRetries'],
    ['a signal that is none', { signal: {} }, 'signal'],
    ['an empty key', { idempotencyKey: '' }, 'idempotencyKey'],
    ['a key with a line break', { idempotencyKey: 'a\r\nX-Evil: 1' }, 'idempotencyKey'],
    ['a key beyond ASCII', { idempotencyKey: 'zahlung-ü' }, 'idempotencyKey'],
    ['a key of 256 characters', { idempotencyKey: 'k'.repeat(256) }, 'idempotencyKey'],
    ['a misspelt key', { idempotency_key: 'payment-1001' }, 'idempotency_key'],
    ['a misspelt time', { timeoutMS: 5 }, 'timeoutMS'],
    ['an option that does not exist', { proxy: 'http://proxy.example' }, 'proxy'],
    ['a key that is undefined', { idempotencyKey: undefined }, 'idempotencyKey'],
    ['a Promise of the options', Promise.resolve({ maxRetries: 0 }), 'options'],
  ];

  for (const [title, given, name] of options) {
    it(`refuses ${title}, names it, and sends nothing`, async () => {
      const { market, sent } = mockMarket(() => ({}));
      const error = await rejectionOf(market.orders.create(order, given));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error.message).toContain(`POST ${v1}/orders: "${name}" `);
      expect(error).toMatchObject({ issues: [{ path: name }], outcome: 'not_sent' });
      expect(sent).toEqual([]);
    });
  }

  it('takes the extremes that the rules allow', async () => {
    const { market, sent } = mockMarket(() => okBody, { validateResponses: 'off' });
    await market.orders.create(order, {
      timeoutMs: 2 ** 31 - 1,
      deadlineMs: 2 ** 31 - 1,
      maxRetries: 100,
      idempotencyKey: '~'.repeat(255),
    });
    await market.orders.create(order, { maxRetries: 0, idempotencyKey: '!' });
    expect(sent).toHaveLength(2);
  });
});
