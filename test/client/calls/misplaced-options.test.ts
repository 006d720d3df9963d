/** Options of a call that stand among the fields of its input would be sent and not be meant. */

import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from 'market-partner-sdk';
import { mockMarket } from '../../support/mock-market.js';

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };

describe('an option of the call among the fields of its input', () => {
  it.each(['idempotencyKey', 'idempotency_key', 'Idempotency-Key', 'timeoutMs', 'maxRetries'])(
    'is refused in an order: %s',
    async (name) => {
      const { market } = mockMarket(() => ({}));
      const error: unknown = await market.orders
        .create({ ...order, [name]: 'payment-1001' })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({
        outcome: 'not_sent',
        issues: [{ path: name, message: expect.stringContaining('is a request option') }],
      });
    },
  );

  it.each(['payment-1001', null, ['payment-1001'], 7])(
    'is refused bare, in the place of the options: %j',
    async (options) => {
      const { market, sent } = mockMarket(() => ({}));
      await expect(market.orders.create(order, options as object)).rejects.toMatchObject({
        name: 'InvalidRequestError',
        outcome: 'not_sent',
        issues: [{ path: 'options', message: expect.stringContaining('must be an object') }],
      });
      expect(sent).toHaveLength(0);
    },
  );

  it.each([null, 'payment-1001', new AbortController().signal, new Map()])(
    "is refused bare, in the place of a list's options",
    async (options) => {
      const { market, sent } = mockMarket(() => []);
      await expect(market.orders.list({}, options as object)).rejects.toMatchObject({
        name: 'InvalidRequestError',
        method: 'GET',
        issues: [{ path: 'options' }],
      });
      expect(sent).toHaveLength(0);
    },
  );

  it.each([7, { aborted: false }, { aborted: false, addEventListener: () => undefined }])(
    'is refused in the place of a signal: %j',
    async (signal) => {
      const { market, sent } = mockMarket(() => ({}));
      await expect(market.orders.create(order, { signal: signal as never })).rejects.toMatchObject({
        name: 'InvalidRequestError',
        outcome: 'not_sent',
        issues: [{ path: 'signal', message: 'must be an AbortSignal' }],
      });
      expect(sent).toHaveLength(0);
    },
  );

  it("is refused in the place of a list's filters", async () => {
    const { market } = mockMarket(() => []);
    const { signal } = new AbortController();
    for (const misplaced of [{ deadlineMs: 5 }, { signal }]) {
      await expect(market.orders.listSettlements(misplaced as object)).rejects.toMatchObject({
        issues: [{ message: expect.stringContaining('is a request option') }],
      });
    }
  });

  it.each([null, undefined, '/orders', ['/orders']])(
    'is refused in the place of a raw request: %j',
    async (request) => {
      const { market, sent } = mockMarket(() => ({}));
      await expect(market.request(request as never)).rejects.toMatchObject({
        name: 'InvalidRequestError',
        outcome: 'not_sent',
        issues: [{ path: 'request', message: expect.stringContaining('{ path: "/orders" }') }],
      });
      expect(sent).toHaveLength(0);
    },
  );

  it.each([null, 'SETTLED', ['SETTLED'], 7])(
    'is refused in the place of the options of a wait: %j',
    async (options) => {
      const { market, sent } = mockMarket(() => ({}));
      await expect(market.orders.waitFor('ord_1001', options as never)).rejects.toMatchObject({
        name: 'InvalidRequestError',
        method: 'GET',
        outcome: 'not_sent',
        issues: [{ path: 'options', message: expect.stringContaining('{ until:') }],
      });
      expect(sent).toHaveLength(0);
    },
  );
});
