/** An order that is refused before it is sent: its error says which paid sale it is. */

import { describe, expect, it } from 'vitest';
import { InvalidRequestError, type MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';

const idempotencyKey = 'payment-1001';
const input = {
  domain: 'brew.example',
  expected_price: 250_000,
  buyer: { email: 'ada@buyer.example', country: 'GBR' },
};
const sale = { input, idempotencyKey, startedAt: new Date() };

const calls: readonly [string, (market: MarketClient) => PromiseLike<unknown>][] = [
  ['create', (market) => market.orders.create(input, { idempotencyKey })],
  [
    'create with a wrong option',
    (market) => market.orders.create(input, { idempotencyKey, timeout: 1 } as object),
  ],
  ['request', (market) => market.request({ path: '/orders', body: input, idempotencyKey })],
  ['resume', (market) => market.orders.resume(sale)],
  [
    'resume with a wrong option',
    (market) =>
      market.orders.resume(
        { ...sale, input: { ...input, buyer: undefined } },
        { idempotencyWindowMs: 0 },
      ),
  ],
];

describe('the error of an order that was refused before it was sent', () => {
  it.each(calls)('of %s names the key', async (_what, call) => {
    const { market, sent } = mockMarket(() => ({}));
    const error = await rejectionOf(call(market));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ idempotencyKey, outcome: 'not_sent' });
    expect(error.message).toMatch(/Nothing was sent\.$/);
    expect(sent).toEqual([]);
  });

  it.each([undefined, '', 'with a space', 7, 'x'.repeat(256), {}])(
    'names no key that is none: %j',
    async (wrong) => {
      const { market } = mockMarket(() => ({}));
      const stored = { ...sale, idempotencyKey: wrong as string };
      for (const call of [
        market.orders.create(input, { idempotencyKey: wrong as string }),
        market.orders.resume(stored),
      ]) {
        const error = await rejectionOf(call);
        expect(error).not.toHaveProperty('idempotencyKey');
        expect(error.message).toMatch(/Nothing was sent\.$/);
      }
    },
  );
});
