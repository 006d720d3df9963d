/** What an operator reads: what is known of the order and the money, what was found, and the call to make. */

import type { OrderInput } from 'market-partner-sdk';
import { type OrderOutbox } from 'market-partner-sdk/durable';
import { fault, type Fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, ordersQueue, useOutboxWorld } from './support/outbox-world.js';
import { withOrders } from './support/market-world.js';
import { memoryEngine } from './support/open-engines.js';

const world = useOutboxWorld();

async function messageOf(outbox: OrderOutbox): Promise<string> {
  const { attention } = (await outbox.get('pay-1')) ?? {};
  return attention?.message ?? '';
}

/** A market whose `prepare` another version of the client has, once `isNewer` is set. */
function upgradable(prepareNewer: (order: OrderInput) => unknown) {
  const client = world.client();
  const version = { isNewer: false };
  const prepare = (order: OrderInput) =>
    version.isNewer ? prepareNewer(order) : client.orders.prepare(order);
  return { market: withOrders(client, { prepare }), version };
}

describe('invalid_input', () => {
  const otherBytes = (order: OrderInput) => ({ input: { ...order, seq: 2 }, sha256: 'another' });
  const refuse = (order: OrderInput) =>
    world.client().orders.prepare({ ...order, expected_price: -1 });

  it.each<[string, (order: OrderInput) => unknown, RegExp]>([
    ['sends other bytes', otherBytes, /the stored order was changed/],
    ['refuses the order', refuse, /this version .* refuses the stored order \(.*"expected_price"/],
  ])('says that nothing was sent where this version %s', async (_what, prepare, found) => {
    const { market, version } = upgradable(prepare);
    const outbox = await world.outboxWithSale({ market });
    version.isNewer = true;
    await world.drainFor(outbox, 1);
    expect(world.requests('POST')).toHaveLength(0);
    expect(world.reported).toEqual(['pay-1 attention invalid_input 0']);
    const message = await messageOf(outbox);
    expect(message).toMatch(/^No order exists, because nothing was sent/);
    expect(message).toMatch(found);
    expect(message).toContain('outbox.resolve("pay-1", "retry")');
    expect(message).toContain('outbox.resolve("pay-1", { refused: "<reason>" })');
  });

  it.each<[string, (order: OrderInput) => unknown]>([
    ['sends other bytes', otherBytes],
    ['refuses the order', refuse],
  ])('says that an order may exist after a lost response, where it %s', async (_what, prepare) => {
    const { market, version } = upgradable(prepare);
    const outbox = await world.outboxWithSale({ market });
    world.emulator.faults.on('POST /orders', fault.resetAfterWork());
    await world.drain(outbox, 200);
    version.isNewer = true;
    await world.drainFor(outbox, 1);
    const message = await messageOf(outbox);
    expect(message).toMatch(/^An order may exist.* do not pay the buyer back yet/);
    expect(message).not.toContain('Nothing was sent');
    expect(message).toContain('orders.list({ domain })');
    expect(message).toContain('outbox.resolve("pay-1", { placed: "<public_id>" })');
  });

  it('says that an order may exist where "recover" added the sale', async () => {
    const { market, version } = upgradable(otherBytes);
    const outbox = world.outboxWith({ market, recover: () => [intent('pay-1')] });
    world.emulator.faults.on('GET /orders', fault.resetBeforeWork());
    await world.drainFor(outbox, 0.5);
    version.isNewer = true;
    await world.drainFor(outbox, 1);
    expect(await messageOf(outbox)).toMatch(/^An order may exist/);
  });
});

it('not_placed_in_time says that an order may exist, what failed last, and what to call', async () => {
  const outbox = await world.outboxWithSale({ escalateAfterMs: 60_000 });
  world.emulator.faults.on('POST /orders', fault.internalError());
  await world.drainFor(outbox);
  const message = await messageOf(outbox);
  expect(message).toMatch(/^An order may exist, so do not pay the buyer back yet/);
  expect(message).toContain('escalateAfterMs (60000 ms)');
  expect(message).toMatch(/The last attempt: 500 internal_error/);
  expect(message).toContain('outbox.resolve("pay-1", "retry")');
});

it('key_conflict says that an order may exist, and what to call', async () => {
  const market = world.client();
  const outbox = world.outboxWith({ market });
  await market.orders.create(intent('x').order, { idempotencyKey: 'pay-1' });
  await outbox.add(intent('pay-1', { domain: 'tea.example' }));
  await world.drainFor(outbox, 1);
  const message = await messageOf(outbox);
  expect(message).toMatch(/^The service knows this key with another order \(409/);
  expect(message).toContain('An order may exist, so do not pay the buyer back yet');
  expect(message).toContain('outbox.resolve("pay-1", { placed: "<public_id>" })');
});

it('ambiguous says that the buyer is not paid back yet, and what to call', async () => {
  const order = { public_id: 'ord_1', domain: 'brew.example', sale_price_cents: 1 };
  const fetch = () => Promise.resolve(Response.json(order, { status: 201 }));
  const outbox = await world.outboxWithSale({ market: world.client({ fetch }) });
  await world.drainFor(outbox, 1);
  const message = await messageOf(outbox);
  expect(message).toMatch(
    /^An existing order for this domain may belong to this sale.*do not pay the buyer back/,
  );
  expect(message).toContain('outbox.resolve("pay-1", { placed: "<public_id>" })');
});

describe('a verdict that contradicts the one that was reported', () => {
  const refused = {
    state: 'refused',
    refusal: { reason: 'resolved', message: 'paid back', confirmed: 'operator' },
  };
  const placed = { state: 'placed', order: { public_id: 'ord_9', domain: 'brew.example' } };

  it.each<[string, object, object, RegExp, string]>([
    [
      'an order, after the buyer was paid back',
      refused,
      {},
      /^The order ord_\w+ exists, but the sale was reported as refused.*the buyer was paid back.*orders\.refund/,
      'outbox.resolve("pay-1", { refused: "<reason>" })',
    ],
    [
      'a second order',
      placed,
      {},
      /^The buyer paid once, but two orders exist: ord_9.*Refund ord_\w+ with orders\.refund/,
      'outbox.resolve("pay-1", { placed: "ord_9" })',
    ],
    [
      'a refusal, after an order',
      placed,
      { expected_price: 1 },
      /^The order ord_9 was reported to onPlaced, but the service now refuses .*orders\.get\("ord_9"\)/,
      'outbox.resolve("pay-1", { placed: "ord_9" })',
    ],
  ])(
    'says what exists and what became of the money: %s',
    async (_what, stored, order, says, call) => {
      const engine = memoryEngine(world.time.options);
      const sale = intent('pay-1', order);
      const verdicts = await engine.open({
        ...ordersQueue,
        name: 'market-default-sandbox-verdicts',
      });
      // While the order is being sent, another program stores its verdict.
      const fetch: typeof globalThis.fetch = async (...request) => {
        const createdAt = new Date(world.time.nowMs).toISOString();
        const body = JSON.stringify({ intent: sale, verdict: stored });
        await verdicts.enqueue([{ id: 'pay-1', orderingKey: 'pay-1', body, createdAt }]);
        return world.emulator.fetch(...request);
      };
      const outbox = world.outboxWith({ engine, market: world.client({ fetch }) });
      await outbox.add(sale);
      await world.drainFor(outbox, 1);
      const message = await messageOf(outbox);
      expect(message).toMatch(says);
      expect(message).toContain(call);
      // cancel cannot say less: the verdict that it found is not the whole truth.
      expect(await outbox.cancel('pay-1', 'charged back')).toMatchObject({
        cancelled: false,
        message,
      });
    },
  );
});

it.each<[string, object, RegExp]>([
  ['onPlaced', {}, /^The order ord_\w+ exists, but your records may not have it\. onPlaced failed/],
  [
    'onRefused',
    { expected_price: 1 },
    /^No order exists and none will be placed, but the buyer may not have been paid back\. onRefused/,
  ],
])(
  'handler_failed says whether an order exists, and what retry does: %s',
  async (_what, order, says) => {
    const { logger, lines } = recordingLogger();
    const fail = () => Promise.reject(new Error('no such column'));
    const outbox = await world.outboxAfterFailures(
      { onPlaced: fail, onRefused: fail, logger },
      order,
    );
    const message = await messageOf(outbox);
    const [firstLine = ''] = message.split('\n');
    expect(firstLine).toMatch(says);
    expect(firstLine).toContain(
      'call outbox.resolve("pay-1", "retry"), which only runs it again and sends nothing',
    );
    expect(firstLine).toContain('no such column');
    // No callback receives it: the log has to say as much.
    const errors = lines.filter(({ level, fields }) => level === 'error' && 'key' in fields);
    expect(errors).toMatchObject([{ message, fields: { key: 'pay-1' } }]);
  },
);

describe('while the outbox is at work', () => {
  const faults: Record<string, Fault> = {
    'a connection that was cut': fault.resetBeforeWork(),
    'a lost response': fault.resetAfterWork(),
    'an error of the server': fault.internalError(),
    'a page of a gateway': fault.html(),
    'a refusal that is not JSON': fault.html(409),
    'a conflict': fault.status(409, { code: 'conflict' }),
    'a conflict without a code': fault.status(409, { body: {} }),
    'an expired quote': fault.status(422, { code: 'quote_expired' }),
    'a rate limit': fault.rateLimited(2),
    'a refused credential': fault.status(401, { code: 'invalid_signature' }),
    'a broken body': fault.brokenBody(),
  };

  it.each(Object.keys(faults))('no text tells an operator to act past it: %s', async (name) => {
    const { logger, lines } = recordingLogger();
    const outbox = world.outboxWith({ logger, escalateAfterMs: 300_000 });
    world.emulator.faults.on('POST /orders', faults[name] ?? fault.html());
    await outbox.add(intent('pay-1'));
    const seen: unknown[] = [];
    // Before and after it becomes an operator's.
    for (const minutes of [1, 10]) {
      await world.drainFor(outbox, minutes);
      seen.push(await outbox.get('pay-1'), await outbox.status());
    }
    const texts = JSON.stringify([lines, seen]);
    expect(texts).toContain('pay-1');
    expect(texts).not.toMatch(/orders\.resume|orders\.create|resumeRefund/);
  });
});
