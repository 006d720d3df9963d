/** Input that is refused: the sentence of each rule is in test/client/messages.test.ts. */

import { describe, expect, it } from 'vitest';
import type { MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { credential, mockMarket, okBody } from '../../support/mock-market.js';

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
const v1 = '/market/api/partner/v1';

describe('input that breaks a rule', () => {
  it.each<[string, string, (market: MarketClient) => PromiseLike<unknown>]>([
    ['GET', `${v1}/domains/{name}`, (market) => market.domains.get('https://brew.example/')],
    ['GET', `${v1}/orders/{public_id}`, (market) => market.orders.get('../../webhooks')],
    ['GET', `${v1}/orders/ord_1`, (market) => market.orders.get('ord_1', { timeoutMs: 0 })],
    ['GET', `${v1}/orders`, (market) => market.orders.list({ limit: 0 })],
    ['GET', `${v1}/orders/ord_1`, (market) => market.orders.waitFor('ord_1', {} as never)],
    ['GET', `${v1}/brokerage/{case_id}`, (market) => market.brokerage.getCase('Eligibility')],
    ['POST', `${v1}/orders`, (market) => market.orders.create({ ...order, currency: '' })],
    ['POST', `${v1}/quotes`, (market) => market.request({ path: '/quotes', body: { domain: 5 } })],
    [
      'PUT',
      '/market/api/partner/webhooks',
      (market) => market.events.registerWebhook({ url: 'nowhere', secret: 's' }),
    ],
  ])('is an error with the method and the path on the wire: %s %s', async (method, path, call) => {
    const { market, sent } = mockMarket(() => ({}), { baseUrl: 'https://gw.example/market' });
    const error = await rejectionOf(call(market));
    expect(error).toMatchObject({ name: 'InvalidRequestError', method, path });
    expect(error.message).toContain(`${method} ${path}: "`);
    expect(sent).toEqual([]);
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
});

it('the extremes that the rules for options allow are taken', async () => {
  const { market, sent } = mockMarket(() => okBody, { validateResponses: 'off' });
  const longest = { timeoutMs: 2 ** 31 - 1, deadlineMs: 2 ** 31 - 1, maxRetries: 100 };
  await market.orders.create(order, { ...longest, idempotencyKey: '~'.repeat(255) });
  await market.orders.create(order, { maxRetries: 0, idempotencyKey: '!' });
  expect(sent).toHaveLength(2);
});
