/** orders.prepare: the input, bytes and hash that orders.create would send. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, type OrderInput } from 'market-partner-sdk';
import { thrownBy } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';

const recorded = {
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
};

const inputs: [string, OrderInput][] = [
  ['a plain order', { domain: 'brew.example', expected_price: 250_000 }],
  [
    'an order in another spelling',
    {
      external_payment_ref: 'payment-1001',
      buyer: { country: 'gb', name: undefined },
      currency: 'usd',
      expected_price: 250_000,
      domain: 'BREW.Example.',
    },
  ],
  ['a name beyond ASCII', { domain: 'bücher.example', expected_price: 250_000 }],
  [
    'fields that the specification does not name',
    {
      domain: 'brew.example',
      expected_price: 1,
      at: new Date(0),
      notes: ['é', -0, 1e21, { z: null, a: undefined }, JSON.parse('{"__proto__":{"a":1}}')],
    } as OrderInput,
  ],
];

describe('orders.prepare', () => {
  it.each(inputs)('returns the bytes that orders.create sends: %s', async (_what, input) => {
    const { market, sent } = mockMarket(() => ({ ...recorded, domain: undefined }));
    const { body, sha256 } = market.orders.prepare(input);
    expect(sent).toHaveLength(0);
    await market.orders.create(input);
    expect(body).toBe(sent[0]?.body);
    expect(sha256).toBe(createHash('sha256').update(body, 'utf8').digest('hex'));
  });

  it.each(inputs)('returns an input that is prepared to itself: %s', (_what, input) => {
    const { market } = mockMarket(() => recorded);
    const prepared = market.orders.prepare(input);
    expect(market.orders.prepare(prepared.input)).toEqual(prepared);
    expect(JSON.stringify(prepared.input)).toBe(prepared.body);
  });

  it("returns a copy, and leaves the caller's input as it was", () => {
    const { market } = mockMarket(() => recorded);
    const input = { domain: 'Brew.Example', expected_price: 1, buyer: { country: 'gb' } };
    const prepared = market.orders.prepare(input);
    expect(prepared.input).toEqual({
      domain: 'brew.example',
      expected_price: 1,
      buyer: { country: 'GB' },
    });
    expect(input).toEqual({ domain: 'Brew.Example', expected_price: 1, buyer: { country: 'gb' } });
  });

  it.each<[string, unknown, string]>([
    ['no input', undefined, 'input'],
    ['null', null, 'input'],
    ['a price as text', { domain: 'brew.example', expected_price: '1' }, 'expected_price'],
    ['an idempotency key', { ...inputs[0]?.[1], idempotencyKey: 'k' }, 'idempotencyKey'],
    ['what JSON cannot hold', { ...inputs[0]?.[1], big: 1n }, 'big'],
  ])('throws what orders.create would reject with: %s', async (_what, input, path) => {
    const { market, sent } = mockMarket(() => recorded);
    const thrown = thrownBy(() => market.orders.prepare(input as OrderInput), InvalidRequestError);
    expect(thrown).toMatchObject({
      issues: [{ path }],
      method: 'POST',
      path: '/api/partner/v1/orders',
      outcome: 'not_sent',
    });
    const call = market.orders.create(input as OrderInput);
    await expect(call).rejects.toMatchObject({ message: thrown.message, issues: thrown.issues });
    expect(sent).toHaveLength(0);
  });
});
