import { describe, expect, it } from 'vitest';
import { ConflictError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { errorResponse, mockMarket, okResponse } from '../../support/mock-market.js';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };

const recorded = {
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
};

describe('the body of an order', () => {
  it('has the same bytes whatever the order of its keys, at every depth', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const { domain, expected_price } = order;
    const buyer = { email: 'ada@buyer.example', address: { zip: '1', city: 'Ely' } };
    const same = { address: { city: 'Ely', zip: '1' }, email: 'ada@buyer.example' };
    await market.orders.create({ domain, expected_price, buyer, ...{ labels: [{ b: 1, a: 2 }] } });
    await market.orders.create({
      ...{ labels: [{ a: 2, b: 1 }] },
      buyer: same,
      expected_price,
      domain,
    });
    expect(sent[1]?.body).toBe(sent[0]?.body);
  });

  it('has the same bytes for other spellings of the same: case, undefined members', async () => {
    const { market, sent } = mockMarket(() => recorded);
    await market.orders.create(order);
    const other = { domain: 'BREW.Example.', currency: 'usd', quote_id: undefined };
    await market.orders.create({ ...order, ...other });
    expect(sent[1]?.body).toBe(sent[0]?.body);
  });

  it('has the same bytes for what was stored as JSON, so that a repeat after a crash is one', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const noted = { ...order, notes: ['é', 1e21, { z: null, a: 0.1 }] };
    await market.orders.create(noted);
    await market.orders.create(JSON.parse(JSON.stringify(noted)) as typeof order);
    expect(sent[1]?.body).toBe(sent[0]?.body);
    expect(sent[0]?.body).toBe(
      '{"currency":"USD","domain":"brew.example","expected_price":250000,"notes":["é",1e+21,{"a":0.1,"z":null}]}',
    );
  });
});

describe('the Idempotency-Key', () => {
  it('is a new UUID v4 for each order that was given none', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const { response } = await market.orders.create(order).withResponse();
    await market.orders.create(order);
    const [first, second] = sent.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(uuidV4);
    expect(second).toMatch(uuidV4);
    expect(second).not.toBe(first);
    expect(response.idempotencyKey).toBe(first);
  });

  it.each([undefined, 'payment-1001'])(
    'and the bytes stay the same on every attempt, while the nonce does not: %s',
    async (given) => {
      const failed = errorResponse(500, 'internal_error');
      const { market, sent } = mockMarket([failed, failed, okResponse()]);
      const options = given === undefined ? {} : { idempotencyKey: given };
      const { response } = await market.orders.create(order, options).withResponse();
      expect(response.attempts).toBe(3);
      const key = given ?? response.idempotencyKey;
      expect(response.idempotencyKey).toBe(key);
      expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual([key, key, key]);
      expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
      expect(new Set(sent.map(({ headers }) => headers['x-market-nonce'])).size).toBe(3);
    },
  );

  it('is on the error when the order was refused, or may exist', async () => {
    const steps = [errorResponse(409, 'conflict'), errorResponse(500, 'internal_error')];
    const { market, sent } = mockMarket(steps);
    const refused = await rejectionOf(market.orders.create(order, { idempotencyKey: 'k-1' }));
    expect(refused).toBeInstanceOf(ConflictError);
    expect(refused).toMatchObject({ idempotencyKey: 'k-1', outcome: 'rejected' });
    const failed = await rejectionOf(market.orders.create(order));
    expect(failed.idempotencyKey).toBe(sent.at(-1)?.headers['idempotency-key']);
    expect(failed).toMatchObject({ outcome: 'unknown', attempts: 3 });
  });

  it('is absent where no order is made and none was given', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const { response } = await market.orders.refund({ public_id: 'ord_1' }).withResponse();
    expect(sent[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(response.idempotencyKey).toBeUndefined();
  });
});
