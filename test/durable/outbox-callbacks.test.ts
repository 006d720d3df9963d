import { fault } from 'market-partner-sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { intent, OutboxWorld } from './support/outbox-world.js';
import { memoryEngine } from './support/open-engines.js';
import type { QueueEngine } from '../../src/durable/queue/engine.js';

let world: OutboxWorld;

beforeEach(async () => (world = await OutboxWorld.start()));
afterEach(() => world.stop());

it('a callback that fails is repeated without sending the order again', async () => {
  let failures = 3;
  const outbox = world.outboxWith({
    onPlaced: (_order, { key }, { attempt }) => {
      world.reported.push(`${key} ${attempt}`);
      if (failures-- > 0) throw new Error('database down');
    },
  });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1 1', 'pay-1 2', 'pay-1 3', 'pay-1 4']);
  expect(world.requests('POST')).toHaveLength(1);
});

it('a callback that fails for good needs an operator, and the verdict stays', async () => {
  let broken = true;
  const outbox = world.outboxWith({
    onPlaced: (order) => {
      if (broken) throw new Error('no such column');
      world.reported.push(order.domain);
    },
  });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 120);
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'attention',
    order: { domain: 'brew.example' },
    attention: { reason: 'handler_failed' },
  });
  broken = false;
  await outbox.resolve('pay-1', 'retry');
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['brew.example']);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
});

it('an onAttention that fails for good leaves the intent in attention, counted once', async () => {
  const onAttention = () => {
    throw new Error('no pager');
  };
  const outbox = world.outboxWith({ escalateAfterMs: 1, onAttention });
  await outbox.add(intent('pay-1'));
  world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
  await world.drainFor(outbox, 120);
  expect(await outbox.status()).toMatchObject({ attention: 1, unreported: 0 });
  expect(await outbox.list({ state: 'attention' })).toMatchObject([{ key: 'pay-1' }]);
  await outbox.resolve('pay-1', { refused: 'the buyer withdrew' });
  await world.drainFor(outbox, 1);
  expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 0 });
});

it('a verdict that was stored before the process ended is reported unchanged', async () => {
  const engine = memoryEngine(world.time.options);
  let isBroken = true;
  const open: typeof engine.open = async (spec) => {
    const queue = await engine.open(spec);
    // The process ends after the verdict was stored, before the attempt was ended.
    const work: typeof queue.work = (run, options) =>
      queue.work(async (job) => {
        const result = await run(job);
        return isBroken && spec.name.endsWith('-orders')
          ? { retryInMs: 1_000, error: 'ended' }
          : result;
      }, options);
    return { ...queue, work };
  };
  const outbox = world.outboxWith({ engine: { ...engine, open } as QueueEngine });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  isBroken = false;
  await world.drainFor(outbox, 2);
  expect(world.requests('POST')).toHaveLength(1);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('an operator may end a verdict whose callback is no longer needed', async () => {
  const outbox = world.outboxWith({ onPlaced: () => Promise.reject(new Error('no such column')) });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 120);
  expect(await outbox.list({ state: 'attention' })).toMatchObject([
    { key: 'pay-1', attention: { reason: 'handler_failed' } },
  ]);
  const { order } = (await outbox.get('pay-1'))!;
  await outbox.resolve('pay-1', { placed: order!.public_id });
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed', order });
  expect(await outbox.list({ state: 'attention' })).toEqual([]);
  expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 0 });
});

it('a refusal whose callback fails for good stays a refusal', async () => {
  const outbox = world.outboxWith({ onRefused: () => Promise.reject(new Error('no such column')) });
  await outbox.add(intent('pay-1', { expected_price: 1 }));
  await world.drainFor(outbox, 120);
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'attention',
    refusal: { reason: 'price_mismatch' },
    attention: { reason: 'handler_failed' },
  });
});

it('a callback that takes longer than a minute has failed, and its signal fires', async () => {
  const signals: AbortSignal[] = [];
  const outbox = world.outboxWith({
    onPlaced: (_order, _intent, { signal, attempt }) => {
      signals.push(signal);
      return attempt === 1 ? new Promise(() => undefined) : world.reported.push('told');
    },
  });
  await outbox.add(intent('pay-1'));
  await outbox.start();
  await world.time.advance(59_000);
  expect([signals.length, signals[0]?.aborted]).toEqual([1, false]);
  await world.time.advance(5_000);
  expect(signals[0]?.aborted).toBe(true);
  expect(world.reported).toEqual(['told']);
});

it('a callback that ends the process each time needs an operator', async () => {
  const engine = memoryEngine(world.time.options);
  const open: typeof engine.open = async (spec) => {
    const queue = await engine.open(spec);
    // Claimed twelve times before, and nobody lived to say what came of it.
    const work: typeof queue.work = (run, options) =>
      queue.work((job) => run({ ...job, attempt: 13 }), options);
    return spec.name.endsWith('-verdicts') ? { ...queue, work } : queue;
  };
  const outbox = world.outboxWith({ engine: { ...engine, open } as QueueEngine });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual([]);
  expect(await outbox.get('pay-1')).toMatchObject({
    attention: {
      reason: 'handler_failed',
      message: expect.stringContaining('ended with the process'),
    },
  });
});
