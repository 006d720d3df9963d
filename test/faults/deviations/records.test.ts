import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UnexpectedResponseError, type MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';
import { json, orders, recorded } from './deviating-service.js';

const [order] = orders;
const quote = {
  quote_id: 'q_1',
  quote_token: 't',
  domain: 'a.example',
  price_cents: 250_000,
  currency: 'USD',
  expires_at: '2026-11-01T00:10:00Z',
};

type Read = (market: MarketClient) => PromiseLike<unknown>;

/** Every call that returns a record, the record, and what an envelope may call it. */
const calls: readonly [string, string, object, Read][] = [
  ['orders.quote', 'quote', quote, ({ orders }) => orders.quote({ domain: 'a.example' })],
  ['orders.get', 'order', { ...order, timeline: [] }, ({ orders }) => orders.get('ord_1')],
  [
    'domains.get',
    'domain',
    { domain: 'a.example', price_cents: 5 },
    ({ domains }) => domains.get('a.example'),
  ],
  [
    'domains.getPricing',
    'pricing',
    { buy_now_price_cents: 5 },
    ({ domains }) => domains.getPricing('a.example'),
  ],
  [
    'domains.checkAvailability',
    'availability',
    { available: true },
    ({ domains }) => domains.checkAvailability('a.example'),
  ],
  [
    'brokerage.checkEligibility',
    'eligibility',
    { eligible: true },
    ({ brokerage }) => brokerage.checkEligibility('a.example'),
  ],
  [
    'brokerage.getCase',
    'case',
    { case_id: 'c_1', status: 'open' },
    ({ brokerage }) => brokerage.getCase('c_1'),
  ],
  [
    'referral.createLink',
    'link',
    { link_id: 'l_1', url: 'u' },
    ({ referral }) => referral.createLink({ type: 'generic' }),
  ],
  ['referral.getClicks', 'clicks', { total: 3 }, ({ referral }) => referral.getClicks()],
  [
    'referral.getAnalytics',
    'analytics',
    { clicks: 3, sales: 1 },
    ({ referral }) => referral.getAnalytics({ from: '2026-11-01' }),
  ],
];

const envelopes: readonly [string, (noun: string, record: object) => unknown][] = [
  ['bare', (_noun, record) => record],
  ['{ data }', (_noun, record) => ({ data: record })],
  ['{ result } beside words', (_noun, result) => ({ success: true, result, request_id: 'r' })],
  ['{ noun }', (noun, record) => ({ [noun]: record })],
  ['{ data: { noun } }, meta', (noun, record) => ({ data: { [noun]: record }, meta: { v: 1 } })],
  ['{ code: 0, message: "OK", data }', (_noun, data) => ({ code: 0, message: 'OK', data })],
];

describe.each(envelopes)('a record in the form %s', (_form, wrap) => {
  it.each(calls)('is read by %s', async (_call, noun, record, read) => {
    const { market, warnings } = recorded(() => wrap(noun, record));
    expect(await read(market)).toEqual(record);
    expect(warnings).toEqual([]);
  });
});

describe('a record with other names for its fields', () => {
  const other = { price: 2500, token: 't', expires_in: 600 };
  let stderr: string[];
  beforeEach(() => {
    stderr = [];
    vi.spyOn(process, 'emitWarning').mockImplementation((line, options) => {
      stderr.push(`${(options as { code: string }).code} ${String(line)}`);
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it('is one warning, which names the members and no value', async () => {
    const { market, warnings } = recorded(() => other);
    for (let count = 0; count < 3; count += 1) await market.orders.quote({ domain: 'a.example' });
    expect(warnings).toEqual([
      'orders.quote: the record has none of the fields that this version knows: it has "price", "token", "expires_in" (docs/assumptions.md)',
    ]);
    expect(stderr).toEqual([]);
  });

  it('reaches stderr without a logger, once for each shape', async () => {
    const { market } = mockMarket(() => ({ cost: 1, name: 'x' }));
    await market.domains.getPricing('a.example');
    await market.domains.getPricing('b.example');
    await mockMarket(() => ({ cost: 2, name: 'y' })).market.domains.getPricing('a.example');
    expect(stderr).toEqual([
      'MARKET_UNEXPECTED_SHAPE domains.getPricing: the record has none of the fields that this version knows: it has "cost", "name" (docs/assumptions.md)',
    ]);
  });

  it('is an error of a read with validateResponses: "error"', async () => {
    const { market } = mockMarket(() => other, { validateResponses: 'error' });
    const error = await rejectionOf(market.domains.getPricing('a.example'));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('"price", "token", "expires_in"');
    expect(error.message).toContain('"names of fields" in docs/assumptions.md');
    expect(error.message).not.toMatch(/2500|baseUrl/);
  });

  it('is nothing at all with validateResponses: "off"', async () => {
    const { market } = mockMarket(() => ({ x: 1 }), { validateResponses: 'off' });
    await market.domains.getPricing('a.example');
    expect(stderr).toEqual([]);
  });

  it.each([
    ['JSON:API', { data: { id: '1', attributes: { domain: 'a.example' } } }, /"id", "attributes"/],
    ['camelCase', { domainName: 'a.example', priceCents: 5 }, /"domainName", "priceCents"/],
    ['items of a list', { settlements: [{ id: 's_1', owed: 5 }] }, /"id", "owed"/],
  ])('is named: %s', async (_form, body, named) => {
    const { market, warnings } = recorded(() => body);
    if ('settlements' in body) await market.orders.listSettlements();
    else await market.domains.get('a.example');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(named);
  });

  it.each([
    ['an amount as text', { ...quote, price_cents: '250000' }, '"price_cents" is a string'],
    ['a decimal amount', { ...quote, price_cents: 2500.5 }, '"price_cents" is a fraction'],
    [
      'an amount in an object',
      { ...quote, price_cents: { amount: 5 } },
      '"price_cents" is an object',
    ],
    ['a date as a number', { ...quote, expires_at: 1_793_000_000 }, '"expires_at" is an integer'],
  ])('%s is one warning for the endpoint and the field', async (_what, body, named) => {
    const { market, warnings } = recorded(() => body);
    await market.orders.quote({ domain: 'a.example' });
    await market.orders.quote({ domain: 'a.example' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`orders.quote: the response's ${named}`);
  });
});

describe('a write whose response has no body', () => {
  const empty = (status: number) => () => new Response(null, { status });

  it.each([200, 201, 202, 204])('%i: a refund was received', async (status) => {
    const { market } = recorded(empty(status));
    expect(await market.orders.refund({ public_id: 'ord_1' })).toEqual({});
  });

  it.each([201, 202, 204])('%i: a registration is registered', async (status) => {
    const { market } = recorded(empty(status));
    const url = 'https://shop.example/hooks';
    const secret = 'a-secret-of-at-least-32-characters!!';
    expect(await market.events.registerWebhook({ url, secret })).toEqual({ url });
  });

  it.each([201, 202, 204])('%i: an order may exist, and no gateway is blamed', async (status) => {
    const { market } = recorded(empty(status));
    const sale = { domain: 'a.example', expected_price: 5, currency: 'USD' };
    const error = await rejectionOf(market.orders.create(sale));
    expect(error).toMatchObject({ outcome: 'unknown', response: { status } });
    expect(error.message).toContain('The service received the request');
    expect(error.message).not.toContain('baseUrl');
  });
});

describe('a status in another case', () => {
  it.each(['externally_paid', 'Transfer_Completed', 'settled'])(
    '%s ends a wait',
    async (status) => {
      const { market } = recorded(() => ({ ...order, status }));
      const wait = market.orders.waitFor('ord_1', { until: 'EXTERNALLY_PAID', deadlineMs: 1_000 });
      expect(await wait).toMatchObject({ status });
    },
  );

  it('that is no text is no status', async () => {
    const { market } = recorded(() => ({ ...order, status: 5 }));
    const error = await rejectionOf(
      market.orders.waitFor('ord_1', { until: 'EXTERNALLY_PAID', deadlineMs: 1_000 }),
    );
    expect(error.name).not.toBe('TypeError');
  });
});

describe('an empty list of another form', () => {
  it.each<[string, () => unknown]>([
    ['code 0 and "OK"', () => ({ code: 0, message: 'OK', data: { list: [] } })],
    ['{ content }', () => ({ content: [], last: true, totalPages: 0, totalElements: 0 })],
    ['{ value }', () => ({ value: [] })],
    ['{ success, result }', () => ({ success: true, result: [] })],
    ['_embedded', () => ({ _embedded: { orders: [] }, _links: { self: { href: '/orders' } } })],
    ['Warning: 299', () => json({ orders: [] }, { warning: '299 - "v1 ends next year"' })],
  ])('shows that a refused sale has no order: %s', async (_form, answer) => {
    expect(await stateOfRefused(answer)).toBe('refused');
  });

  it.each<[string, () => unknown]>([
    ['a bare array', () => []],
    ['Warning: 110', () => json({ orders: [] }, { warning: '110 - "stale"' })],
    ['a message', () => ({ orders: [], message: 'maintenance' })],
    ['a documented code', () => ({ orders: [], errors: [{ code: 'internal_error' }] })],
    ['a total above it', () => ({ data: [], total: 9 })],
  ])('shows nothing: %s', async (_form, answer) => {
    expect(await stateOfRefused(answer)).toBe('open');
  });
});

/** The state of a sale that the service refuses with a code, after look-ups with this response. */
async function stateOfRefused(answer: () => unknown): Promise<string> {
  const { market } = recorded((request) =>
    request.method === 'GET' ? answer() : json({ code: 'price_mismatch', message: 'no' }, {}, 422),
  );
  const input = { domain: 'a.example', expected_price: 5, external_payment_ref: 'pay-1001' };
  const sale = { input, idempotencyKey: 'payment-1001', startedAt: market.now() };
  return (await market.orders.resume(sale)).state;
}
