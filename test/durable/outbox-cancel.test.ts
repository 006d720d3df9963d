import { type Refusal } from 'market-partner-sdk/durable';
import { fault, type Fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import { gate } from './engine-kit/engine-harness.js';
import type { DurableQueue } from '../../src/durable/queue/engine.js';
import { memoryEngine, withQueues } from './support/open-engines.js';

const world = useOutboxWorld();

it('a sale that was never sent is cancelled, and onRefused receives the reason', async () => {
  const refusals: Refusal[] = [];
  const outbox = await world.outboxWithSale({ onRefused: (refusal) => refusals.push(refusal) });
  expect(await outbox.cancel('pay-1', 'charged back')).toEqual({ cancelled: true });
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'refused' });
  expect(await outbox.list({ state: 'waiting' })).toEqual([]);
  await world.drainFor(outbox, 1);
  expect(await outbox.cancel('pay-1', 'again')).toEqual({ cancelled: true });
  expect(refusals).toEqual([
    { reason: 'cancelled', message: 'charged back', confirmed: 'never_sent' },
  ]);
  expect(world.emulator.requests).toHaveLength(0);
  expect(await outbox.list({ state: 'refused' })).toMatchObject([{ key: 'pay-1' }]);
});

it('a sale that was sent and has no order is cancelled after two look-ups', async () => {
  const outbox = await world.outboxWithSale();
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 1);
  const sent = world.requests('POST').length;
  const answer = await outbox.cancel('pay-1', 'charged back');
  expect(answer).toMatchObject({ cancelled: false, entry: { state: 'waiting' } });
  expect(answer).toHaveProperty('message', expect.stringContaining('Nothing more is sent'));
  world.emulator.faults.clear();
  await world.drainFor(outbox, 25);
  expect(world.reported).toEqual(['pay-1 refused cancelled looked_up']);
  expect(world.requests('POST')).toHaveLength(sent);
  expect(world.requests('GET')).toHaveLength(2);
});

it('a sale that was placed before it was cancelled is reported placed', async () => {
  const outbox = await world.outboxWithSale();
  world.emulator.faults.on('POST /orders', fault.resetAfterWork());
  await world.drainFor(outbox, 1);
  expect(await outbox.cancel('pay-1', 'charged back')).toMatchObject({ cancelled: false });
  world.emulator.faults.clear();
  await world.drainFor(outbox, 25);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  expect(await outbox.cancel('pay-1', 'late')).toMatchObject({
    cancelled: false,
    message: expect.stringMatching(
      /^The order \S+ exists\. Refund it with outbox\.refund\(\"pay-1\", \{ reason \}\)\.$/,
    ) as string,
  });
});

it('a sale that was refused before it was cancelled has no order to refund', async () => {
  const outbox = await world.outboxWithSale({}, { expected_price: 1 });
  await world.drainFor(outbox, 1);
  expect(await outbox.cancel('pay-1', 'charged back')).toMatchObject({
    cancelled: false,
    message: 'No order exists and none will be placed: onRefused has the reason.',
  });
});

it('a sale whose request hangs until after the cancel is looked up once it cannot arrive', async () => {
  const outbox = await world.outboxWithSale();
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 1);
  await outbox.cancel('pay-1', 'charged back');
  await world.drainFor(outbox, 10);
  // The service works on the first request so late.
  world.emulator.faults.clear();
  const order = { ...intent('pay-1').order, external_payment_ref: 'pay-1' };
  await world.market.market.orders.create(order, { idempotencyKey: 'pay-1' });
  await world.drainFor(outbox, 25);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('an attempt that begins while the sale is cancelled sends nothing', async () => {
  const engine = memoryEngine(world.time.options);
  const machine = world.outboxWith({ engine });
  const [noted, attempted] = [gate(), gate()];
  let reads = 0;
  const slow = (queue: DurableQueue): Partial<DurableQueue> => ({
    find: async (ids) => {
      // The intent is read twice before the note is stored. Its claims are read after the attempt.
      if (++reads > 2) {
        noted.open();
        await attempted.opened;
      }
      return queue.find(ids);
    },
  });
  const operator = world.outboxWith({ engine: withQueues(engine, slow, '-orders') });
  await machine.add(intent('pay-1'));
  const cancelled = operator.cancel('pay-1', 'charged back');
  await noted.opened;
  await world.drainFor(machine, 1);
  attempted.open();
  expect(await cancelled).toEqual({ cancelled: true });
  expect(world.requests('POST')).toHaveLength(0);
  expect(world.reported).toEqual(['pay-1 refused cancelled never_sent']);
});

it('cancel refuses a key that is not known', async () => {
  const cancelled = world.outboxWith().cancel('pay-9', 'charged back');
  await expect(cancelled).rejects.toMatchObject({ name: 'DurableStateError' });
});

describe('a sale in attention', () => {
  async function saleInAttention(trouble = fault.resetBeforeWork()) {
    const outbox = await world.outboxWithSale({ escalateAfterMs: 1 });
    world.emulator.faults.on('POST /orders', trouble);
    await world.drainFor(outbox, 1);
    world.emulator.faults.clear();
    expect(world.reported).toEqual(['pay-1 attention not_placed_in_time 0']);
    return outbox;
  }

  it('is not cancelled: resolve decides about it', async () => {
    const outbox = await saleInAttention();
    expect(await outbox.cancel('pay-1', 'charged back')).toMatchObject({
      cancelled: false,
      entry: { state: 'attention' },
      message: expect.stringMatching(/Nothing more is sent.*outbox\.resolve\("pay-1"/) as string,
    });
  });

  it.each<[string, Fault, string]>([
    ['that was not placed', fault.resetBeforeWork(), 'pay-1 refused cancelled looked_up'],
    ['that was placed', fault.resetAfterWork(), 'pay-1 placed brew.example'],
  ])('%s sends nothing after cancel, whoever retries it', async (_what, trouble, reported) => {
    const outbox = await saleInAttention(trouble);
    const sent = world.requests('POST').length;
    await outbox.cancel('pay-1', 'charged back');
    await outbox.resolve('pay-1', 'retry');
    await world.drainFor(outbox, 10);
    expect(world.requests('GET')).toHaveLength(0);
    await world.drainFor(outbox, 10);
    expect(world.reported.slice(1)).toEqual([reported]);
    expect(world.requests('POST')).toHaveLength(sent);
  });
});

describe('the message of cancel, once the sale has ended and its callback failed for good,', () => {
  it.each<[string, object, RegExp]>([
    [
      'has the order',
      {},
      /^The order ord_\w+ exists\. Refund it with outbox\.refund\(\"pay-1\", \{ reason \}\)\. .*onPlaced/,
    ],
    [
      'says that there is none',
      { expected_price: 1 },
      /^No order exists and none will be placed\. .*onRefused/,
    ],
  ])('%s', async (_what, order, message) => {
    const fail = () => Promise.reject(new Error('no such column'));
    const outbox = await world.outboxAfterFailures({ onPlaced: fail, onRefused: fail }, order);
    const result = await outbox.cancel('pay-1', 'charged back');
    expect(result).toMatchObject({
      cancelled: false,
      message: expect.stringMatching(message) as string,
    });
    expect(result).toMatchObject({
      message: expect.stringContaining('outbox.resolve("pay-1", "retry")') as string,
    });
  });
});
