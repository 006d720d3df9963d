import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { ConflictError } from 'market-partner-sdk';
import { VirtualTime } from '../../support/virtual-time.js';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';

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
    const one = {
      domain: 'brew.example',
      expected_price: 250_000,
      buyer: { email: 'ada@buyer.example', country: 'GB', address: { zip: '1', city: 'Ely' } },
      labels: [{ b: 1, a: 2 }],
    };
    const other = {
      labels: [{ a: 2, b: 1 }],
      buyer: { address: { city: 'Ely', zip: '1' }, country: 'GB', email: 'ada@buyer.example' },
      expected_price: 250_000,
      domain: 'brew.example',
    };
    await market.orders.create(one);
    await market.orders.create(other);
    expect(sent[1]?.body).toBe(sent[0]?.body);
  });

  it('has the same bytes for other spellings of the same: case, undefined members', async () => {
    const { market, sent } = mockMarket(() => recorded);
    await market.orders.create(order);
    await market.orders.create({
      ...order,
      domain: 'BREW.Example.',
      currency: 'usd',
      quote_id: undefined,
    });
    expect(sent[1]?.body).toBe(sent[0]?.body);
  });

  it('has the same bytes for what another process has of it, so that a repeat after a crash is one', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const noted = { ...order, notes: ['é', 1e21, { z: null, a: 0.1 }] };
    await market.orders.create(noted);
    const script = `process.stdout.write(JSON.stringify({
      notes: ['é', 1e21, { a: 0.1, z: null }], currency: 'USD',
      expected_price: 250000, domain: 'brew.example' }))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      timeout: 10_000,
    });
    await market.orders.create(JSON.parse(stdout) as typeof order);
    expect(sent[1]?.body).toBe(sent[0]?.body);
    expect(sent[0]?.body).toBe(
      '{"currency":"USD","domain":"brew.example","expected_price":250000,"notes":["é",1e+21,{"a":0.1,"z":null}]}',
    );
  });

  it("leaves the caller's input as it was", async () => {
    const { market } = mockMarket(() => recorded);
    const input = Object.freeze({
      ...order,
      domain: 'Brew.Example',
      buyer: Object.freeze({ country: 'gb' }),
    });
    await market.orders.create(input);
    expect(input.domain).toBe('Brew.Example');
    expect(input.buyer.country).toBe('gb');
  });

  it('passes fields that the specification does not name, and no others', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const loyal = { ...order, loyalty_id: 'L-1' };
    await market.orders.create(loyal);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual(loyal);
  });
});

describe('the Idempotency-Key', () => {
  it('is the one the caller passed, and is on the response', async () => {
    const { market, sent } = mockMarket(() => recorded);
    const { response } = await market.orders
      .create(order, { idempotencyKey: 'payment-1001' })
      .withResponse();
    expect(sent[0]?.headers['idempotency-key']).toBe('payment-1001');
    expect(response.idempotencyKey).toBe('payment-1001');
  });

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

  it('and the bytes stay the same on every attempt, while the nonce does not', async () => {
    const { market, sent } = mockMarket((_request, count) =>
      count < 3
        ? HttpResponse.json({ code: 'internal_error', message: 'no' }, { status: 500 })
        : recorded,
    );
    const { response } = await market.orders.create(order).withResponse();
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([response.idempotencyKey]),
    );
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['x-market-nonce'])).size).toBe(3);
    expect(response.attempts).toBe(3);
  });

  it('is on the error when the order was refused, or may exist', async () => {
    const time = new VirtualTime();
    const { market, sent } = mockMarket(
      (_request, count) =>
        count === 1
          ? HttpResponse.json({ code: 'conflict', message: 'no' }, { status: 409 })
          : HttpResponse.json({ code: 'internal_error', message: 'no' }, { status: 500 }),
      time.options,
    );
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
