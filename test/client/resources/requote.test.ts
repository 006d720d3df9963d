/** `orders.resume` with `requote: 'at_most_paid'`: what the new quote says, and the derived keys. */

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MarketClient, OrderInput } from 'market-partner-sdk';
import { fault, type MarketEmulator } from 'market-partner-sdk/testing';
import { domain, emulateSale, price } from './emulated-sale.js';

const key = 'payment-1001';
const paid = { domain, expected_price: price, external_payment_ref: 'pay-1001' };

let emulator: MarketEmulator;
let market: MarketClient;

beforeEach(async () => {
  ({ emulator, market } = await emulateSale(price - 500));
});
afterEach(() => emulator.stop());

const resume = (input: OrderInput = paid, idempotencyKey = key) =>
  market.orders.resume(
    { input, idempotencyKey, startedAt: emulator.clock.now() },
    { requote: 'at_most_paid' },
  );
const orders = () => market.orders.list({ domain }).toArray();
const answerQuotes = (body: object) =>
  emulator.faults.on('POST /quotes', fault.status(201, { body }));
const sentKeys = () =>
  emulator.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'))
    .map(({ headers }) => headers['idempotency-key']);

describe('a quote', () => {
  it.each<[string, object, object?]>([
    ['above what was paid', { price_cents: price + 1 }],
    ['in another currency', { price_cents: 1_000, currency: 'EUR' }, { currency: 'USD' }],
  ])('%s places nothing: the refusal stands', async (_what, quote, more = {}) => {
    answerQuotes({ quote_id: 'q_1', ...quote });
    expect(await resume({ ...paid, ...more })).toMatchObject({
      state: 'refused',
      reason: 'price_mismatch',
    });
    expect(sentKeys()).toEqual([key]);
    expect(await orders()).toEqual([]);
  });

  it.each<[string, object]>([
    ['of no price', { price_cents: 0 }],
    ['below zero', { price_cents: -1 }],
    ['of half a cent', { price_cents: 1_000.5 }],
    ['in a text', { price_cents: '1000' }],
    ['without a price', { quote_id: 'q_1' }],
  ])('%s cannot be read: the sale stays open, and its buyer is not paid back', async (_, quote) => {
    answerQuotes({ quote_id: 'q_1', ...quote });
    const { state, ...resumed } = await resume();
    expect([state, resumed]).toMatchObject([
      'open',
      { error: { message: expect.stringContaining('"price_cents"') as string } },
    ]);
    expect(sentKeys()).toEqual([key]);
    expect(await orders()).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['in the currency that was paid', { currency: 'USD' }, { currency: 'USD' }],
    ['in its lower case', { currency: 'usd' }, { currency: 'USD' }],
    ['that names no currency', {}, { currency: 'USD' }],
    ['whose currency is null', { currency: null }, { currency: 'USD' }],
    ['in some currency, where the sale names none', { currency: 'USD' }, {}],
    ['at exactly what was paid', { price_cents: price }, {}],
  ])('%s is taken', async (_what, quote, more) => {
    answerQuotes({ price_cents: price - 500, ...quote });
    // The price that was paid is refused once, and is right again by then.
    if ('price_cents' in quote) {
      emulator.admin.reprice(domain, price);
      emulator.faults.on('POST /orders', fault.status(422), { times: 1 });
    }
    expect(await resume({ ...paid, ...more })).toMatchObject({ state: 'placed' });
    expect(sentKeys()).toEqual([key, `${key}.requote-1`]);
  });

  it('that places nothing is followed by two look-ups more', async () => {
    answerQuotes({ quote_id: 'q_1', price_cents: price + 1 });
    await resume();
    // Two before the first key is sent, two after its refusal, two after the quote.
    const lookUps = emulator.requests.filter(({ method }) => method === 'GET');
    expect(lookUps).toHaveLength(6);
  });

  it('of the smallest amount is placed', async () => {
    answerQuotes({ quote_id: 'q_1', price_cents: 1 });
    await resume();
    expect(sentKeys()).toContain(`${key}.requote-1`);
  });

  it('asks for the domain, in the currency that was paid', async () => {
    await resume({ ...paid, currency: 'USD' });
    const quotes = emulator.requests.filter(({ path }) => path.endsWith('/quotes'));
    expect(quotes.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as unknown)).toEqual([
      { currency: 'USD', domain },
    ]);
  });

  it('that finds the domain sold by an earlier resume looks for its order', async () => {
    const { orders: direct } = market;
    // The order of a process that died arrives after the look-ups, just before the quote.
    const late = market.withOptions({
      fetch: async (url, init) => {
        if (url.endsWith('/quotes')) {
          const placedLate = { ...paid, expected_price: price - 500 };
          await direct.create(placedLate, { idempotencyKey: `${key}.requote-1` });
        }
        return emulator.fetch(url, init);
      },
    });
    const sale = { input: paid, idempotencyKey: key, startedAt: emulator.clock.now() };
    expect(await late.orders.resume(sale, { requote: 'at_most_paid' })).toMatchObject({
      state: 'placed',
      found: 'looked_up',
    });
    expect(await orders()).toHaveLength(1);
  });

  it('that the service refuses to give leaves the refusal', async () => {
    emulator.faults.on('POST /quotes', fault.status(404));
    expect(await resume()).toMatchObject({ state: 'refused', reason: 'price_mismatch' });
  });

  it.each<[string, () => ReturnType<typeof fault.status>, object]>([
    ['is rate limited', () => fault.rateLimited(7), { retryAfterMs: 7_000 }],
    ['fails in the service', () => fault.internalError(), { retryAfterMs: undefined }],
    ['is lost', () => fault.resetAfterWork(), { retryAfterMs: undefined }],
    ["is a gateway's page", () => fault.html(404), { retryAfterMs: undefined }],
  ])('that %s leaves the sale open', async (_what, each, expected) => {
    emulator.faults.on('POST /quotes', each());
    const ended = await resume();
    expect(ended).toMatchObject({ state: 'open', ...expected });
    expect(ended).toHaveProperty('error.path', '/api/partner/v1/quotes');
    emulator.faults.clear();
    expect(await resume()).toMatchObject({ state: 'placed' });
    expect(await orders()).toHaveLength(1);
  });
});

describe('a derived key', () => {
  it('follows the price three times, then the refusal stands', async () => {
    emulator.faults.on('POST /orders', fault.status(422));
    for (const price_cents of [1_003, 1_002, 1_001]) {
      emulator.faults.on('POST /quotes', fault.status(201, { body: { price_cents } }), {
        times: 1,
      });
    }
    expect(await resume()).toMatchObject({ state: 'refused', reason: 'price_mismatch' });
    expect(sentKeys()).toEqual([key, ...[1, 2, 3].map((number) => `${key}.requote-${number}`)]);
  });

  it.each([price - 500, (price - 500) / 100])(
    "is a person's where the service refuses the very price that it quotes: %d",
    async (price_cents) => {
      emulator.faults.on('POST /orders', fault.status(422));
      answerQuotes({ quote_id: 'q_1', price_cents });
      const words = `"expected_price": ${price_cents} .* another unit`;
      const message = expect.stringMatching(words) as string;
      const error = { message, cause: { code: 'price_mismatch' } };
      const unclear = { state: 'attention', reason: 'price_unit', candidates: [] };
      expect(await resume()).toMatchObject({ ...unclear, error });
      expect(sentKeys()).toEqual([key, `${key}.requote-1`]);
    },
  );

  it('follows an expired quote too', async () => {
    emulator.faults.on('POST /orders', fault.status(422, { code: 'quote_expired' }), { times: 2 });
    expect(await resume()).toMatchObject({ state: 'placed' });
    expect(sentKeys()).toHaveLength(3);
  });

  it('is not used after another refusal', async () => {
    emulator.faults.on('POST /orders', fault.status(400), { times: 1 });
    expect(await resume()).toMatchObject({ state: 'refused', reason: 'invalid' });
    expect(sentKeys()).toEqual([key]);
  });

  it("is not asked for with requote: 'never'", async () => {
    const sale = { input: paid, idempotencyKey: key, startedAt: emulator.clock.now() };
    const resumed = await market.orders.resume(sale, { requote: 'never' });
    expect(resumed).toMatchObject({ state: 'refused', reason: 'price_mismatch' });
    expect(sentKeys()).toEqual([key]);
  });

  it.each([200, 201, 255])('of a key of %i characters has at most 255', async (length) => {
    const long = 'k'.repeat(length);
    expect(await resume(paid, long)).toMatchObject({ state: 'placed' });
    const base = length <= 200 ? long : createHash('sha256').update(long).digest('hex');
    expect(sentKeys()).toEqual([long, `${base}.requote-1`]);
  });

  describe('that was used at another price', () => {
    /** An earlier resume placed the order; then the price falls again, and four look-ups lag. */
    const placeThenRelist = async () => {
      expect(await resume()).toMatchObject({ state: 'placed' });
      emulator.admin.list({ domain, price_cents: price - 700, floor_price_cents: 1_000 });
      answerLists({ data: [] }, 4);
    };
    const answerLists = (body: object, times: number) =>
      emulator.faults.on('GET /orders', fault.status(200, { body }), { times });
    const order = { public_id: 'ord_9', domain, sale_price_cents: price - 500 };
    const paidOrder = { ...order, external_payment_ref: 'pay-1001' };

    it('finds its order by the payment', async () => {
      await placeThenRelist();
      expect(await resume()).toMatchObject({
        state: 'placed',
        found: 'looked_up',
        order: { external_payment_ref: 'pay-1001', sale_price_cents: price - 500 },
      });
      expect(await orders()).toHaveLength(1);
    });

    it.each<[string, object[]]>([
      ['no order', []],
      ['an order that names no payment', [order]],
      ['two orders of the payment', [paidOrder, { ...paidOrder, public_id: 'ord_10' }]],
    ])("is a person's where the list shows %s", async (_what, data) => {
      await placeThenRelist();
      // The key is asked for once more before anybody reads a conflict.
      answerLists({ data }, 2);
      expect(await resume()).toMatchObject({
        state: 'attention',
        reason: 'key_conflict',
        candidates: data,
      });
      expect(await orders()).toHaveLength(1);
    });
  });
});
