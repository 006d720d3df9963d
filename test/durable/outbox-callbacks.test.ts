import type { OrderOutboxOptions } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import type { DurableQueue, QueueEngine } from '../../src/durable/queue/engine.js';
import { memoryEngine, withQueues } from './support/open-engines.js';

const world = useOutboxWorld();

it('a callback that fails is repeated without sending the order again', async () => {
  let failures = 3;
  const outbox = world.outboxWith({
    onPlaced: (_order, { key }) => {
      world.reported.push(key);
      if (failures-- > 0) throw new Error('database down');
    },
  });
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox);
  expect(world.reported).toEqual(['pay-1', 'pay-1', 'pay-1', 'pay-1']);
  expect(world.requests('POST')).toHaveLength(1);
});

it('a callback that fails for good needs an operator, and the verdict stays', async () => {
  let broken = true;
  const outbox = await world.outboxAfterFailures({
    onPlaced: (order) => {
      if (broken) throw new Error('no such column');
      world.reported.push(order.domain);
    },
  });
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
  const outbox = await world.outboxWithSale({ escalateAfterMs: 1, onAttention });
  world.emulator.faults.on(
    ({ headers }) => headers['idempotency-key'] === 'pay-1',
    fault.resetBeforeWork(),
  );
  world.isBusy = true;
  await world.drainFor(outbox, 120);
  expect(await outbox.status()).toMatchObject({ attention: 1, unreported: 0 });
  expect(await outbox.list({ state: 'attention' })).toMatchObject([{ key: 'pay-1' }]);
  await outbox.resolve('pay-1', { refused: 'the buyer withdrew' });
  await world.drainFor(outbox, 1);
  expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 0 });
});

it('a verdict that was stored before the process ended is reported unchanged', async () => {
  let isBroken = true;
  // The process ends after the verdict was stored, before the attempt was ended.
  const endsEarly = (queue: DurableQueue): Partial<DurableQueue> => ({
    work: (run, options) =>
      queue.work(async (job) => {
        const result = await run(job);
        return isBroken ? { retryInMs: 1_000, error: 'ended' } : result;
      }, options),
  });
  const engine = withQueues(memoryEngine(world.time.options), endsEarly, '-orders');
  const outbox = await world.outboxWithSale({ engine });
  await world.drainFor(outbox, 1);
  isBroken = false;
  await world.drainFor(outbox, 2);
  expect(world.requests('POST')).toHaveLength(1);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
});

it('an operator may end a verdict whose callback is no longer needed', async () => {
  const onPlaced = () => Promise.reject(new Error('no such column'));
  const outbox = await world.outboxAfterFailures({ onPlaced });
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
  const outbox = await world.outboxAfterFailures(
    { onRefused: () => Promise.reject(new Error('no such column')) },
    { expected_price: 1 },
  );
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'attention',
    refusal: { reason: 'price_mismatch' },
    attention: { reason: 'handler_failed' },
  });
});

it('a callback that takes longer than a minute has failed, and its signal fires', async () => {
  const signals: AbortSignal[] = [];
  const outbox = world.outboxWith({
    onPlaced: (_order, _intent, { signal }) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : world.reported.push('told');
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
  // Claimed twelve times before, and nobody lived to say what came of it.
  const claimed = (queue: DurableQueue): Partial<DurableQueue> => ({
    work: (run, options) => queue.work((job) => run({ ...job, attempt: 13 }), options),
  });
  const engine = withQueues(memoryEngine(world.time.options), claimed, '-verdicts');
  const outbox = await world.outboxWithSale({ engine });
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual([]);
  expect(await outbox.get('pay-1')).toMatchObject({
    attention: {
      reason: 'handler_failed',
      message: expect.stringContaining('ended with the process'),
    },
  });
});

describe('while no callback succeeds', () => {
  let isDown = true;
  const database = () => {
    if (isDown) throw new Error('connect ECONNREFUSED');
  };
  const shop = (engine: QueueEngine, options: Partial<OrderOutboxOptions> = {}) =>
    world.outboxWith({
      engine,
      onPlaced: (_order, { key }) => {
        database();
        world.reported.push(key);
      },
      onRefused: (_refusal, { key }) => {
        database();
        world.reported.push(key);
      },
      ...options,
    });

  beforeEach(() => (isDown = true));

  it.each([
    [1, 75],
    [30, 75],
    [30, 8 * 60],
  ])('%i sales wait out %i minutes, and none needs an operator', async (count, minutes) => {
    const { logger, lines } = recordingLogger();
    const outbox = shop(memoryEngine(world.time.options), { logger });
    const keys = await world.addSales(outbox, count);
    await outbox.start();
    await world.time.advance(minutes * 60_000);
    expect(await outbox.status()).toMatchObject({
      attention: 0,
      unreported: count,
      callbacksPaused: expect.stringContaining('no callback has succeeded for over a minute'),
    });
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    isDown = false;
    await world.time.advance(16 * 60_000);
    expect(world.reported.sort()).toEqual(keys.sort());
    expect(await outbox.status()).toMatchObject({ unreported: 0, callbacksPaused: null });
  });

  it('those that were sold meanwhile are reported within a minute, but for the one that was tried last', async () => {
    const outbox = shop(memoryEngine(world.time.options));
    await outbox.start();
    await world.addOther(outbox);
    await outbox.add(intent('pay-x'));
    await world.time.advance(75 * 60_000);
    await world.addSales(outbox, 20);
    await world.time.advance(5_000);
    expect(world.reported).toEqual([]);
    isDown = false;
    await world.time.advance(61_000);
    expect(world.reported.length).toBeGreaterThanOrEqual(19);
  });

  it('processes that come and go give up no sale', async () => {
    const engine = memoryEngine(world.time.options);
    await world.addSales(shop(engine), 3);
    for (let release = 0; release < 20; release += 1) {
      const outbox = shop(engine);
      await outbox.start();
      await world.time.advance(300_000);
      await outbox.stop();
    }
    const outbox = shop(engine);
    expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 3 });
    isDown = false;
    await world.drainFor(outbox, 20);
    expect(world.reported).toHaveLength(3);
  });
});

it('a sale that an operator retries is tried for its whole time again', async () => {
  const outbox = await world.outboxWithSale({ escalateAfterMs: 3_600_000 });
  world.emulator.faults.on('POST /orders', fault.internalError());
  await world.drainFor(outbox, 70);
  expect(await outbox.get('pay-1')).toMatchObject({ attention: { reason: 'not_placed_in_time' } });
  await outbox.resolve('pay-1', 'retry');
  await world.drainFor(outbox, 50);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'waiting' });
  await world.drainFor(outbox, 20);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
  await outbox.resolve('pay-1', 'retry');
  world.emulator.faults.clear();
  await world.drainFor(outbox, 5);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
});
