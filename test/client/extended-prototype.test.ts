/** A program, or an old library in it, that gave `Object.prototype` a method of its own. */

import { expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { createOrderOutbox, memoryEngine } from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { createWebhookHandler, signWebhook } from 'market-partner-sdk/webhooks';

interface Extended {
  extend?: unknown;
}

/** What the program got; vitest compares only after the prototype is as it was. */
async function sellWith(emulator: MarketEmulator): Promise<unknown[]> {
  const { keyId, secret } = emulator.createCredential();
  await using market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  const input = { domain: 'brew.example', expected_price: 250_000 };
  const { public_id: id } = await market.orders.create(input);
  const { status } = await market.orders.get(id);
  const orders = await market.orders.list({ status: 'EXTERNALLY_PAID' }).toArray();
  const [{ domain = '', price_cents: price = 0 } = {}] = await market.domains.search('travel');
  const placed: string[] = [];
  const outbox = createOrderOutbox({
    market,
    engine: memoryEngine(),
    onPlaced: (_order, { key }) => void placed.push(key),
    onRefused: () => undefined,
    onAttention: () => undefined,
  });
  await outbox.add({ key: 'payment-1', order: { domain, expected_price: price } });
  await outbox.drain({ maxMs: 10_000 });
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'order.settled',
    created_at: '2026-11-21T08:00:00Z',
    data: {},
  });
  const headers = { 'x-market-signature': signWebhook(body, 'whsec') };
  const handler = createWebhookHandler({ secret: 'whsec', onEvent: () => undefined });
  const { status: received } = await handler.handle({ headers, body });
  return [status, orders.length, placed.join(), received];
}

it('sells, places and receives', async () => {
  const prototype = Object.prototype as Extended;
  let got: unknown;
  prototype.extend = function (this: unknown) {
    return this;
  };
  try {
    await using emulator = await MarketEmulator.start();
    got = await sellWith(emulator).catch(String);
    expect(Object.keys(Object.prototype)).toHaveLength(1);
  } finally {
    delete prototype.extend;
  }
  expect(got).toEqual(['EXTERNALLY_PAID', 1, 'payment-1', 200]);
});
