import type { OrderOutboxOptions } from 'market-partner-sdk/durable';
import { describe, expect, it } from 'vitest';
import type { QueueEngine } from '../../src/durable/queue/engine.js';
import { memoryEngine, withQueues } from './support/open-engines.js';
import { intent, ordersQueue, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

const buyer = { email: 'ada@buyer.example', country: 'GB' };

async function stored(engine: QueueEngine): Promise<string> {
  const texts: string[] = [];
  for (const name of [ordersQueue.name, ordersQueue.name.replace('-orders', '-verdicts')]) {
    const queue = await engine.open({ ...ordersQueue, name });
    for (const state of ['open', 'done'] as const) {
      texts.push(JSON.stringify((await queue.list(state, { limit: 100 })).items));
    }
    await queue.close();
  }
  return texts.join();
}

describe('a sale whose result was reported', () => {
  it.each<[string, object, string]>([
    ['placed', {}, 'placed'],
    ['refused', { expected_price: 1 }, 'refused'],
  ])('keeps no buyer: %s', async (_what, order, state) => {
    const engine = memoryEngine(world.time.options);
    const buyers: unknown[] = [];
    const outbox = world.outboxWith({
      engine,
      onPlaced: (_order, sale) => buyers.push(sale.order.buyer),
      onRefused: (_refusal, sale) => buyers.push(sale.order.buyer),
    });
    const sale = intent('pay-1', { ...order, buyer });
    await outbox.add(sale);
    expect(await stored(engine)).toContain(buyer.email);
    await world.drainFor(outbox, 1);
    expect(buyers).toEqual([buyer]);
    expect(await stored(engine)).not.toContain(buyer.email);
    // The same sale is still known by its hash, and another one is still a conflict.
    expect(await outbox.add(sale)).toEqual({ added: false });
    await expect(outbox.add(intent('pay-1', { expected_price: 7 }))).rejects.toMatchObject({
      name: 'OutboxConflictError',
    });
    expect(await outbox.list({ state: state as 'placed' })).toMatchObject([{ key: 'pay-1' }]);
    await world.time.advance(3_600_000);
    const comparison = outbox.reconcile({ from: world.time.nowMs - 86_400_000 });
    expect(await comparison.toArray()).toEqual([]);
  });

  it('is refunded without it', async () => {
    const engine = memoryEngine(world.time.options);
    const refunded: unknown[] = [];
    const outbox = await world.outboxWithSale(
      {
        engine,
        onRefunded: (_order, sale) => refunded.push(sale),
        onNotRefunded: () => undefined,
      },
      { buyer },
    );
    await world.drainFor(outbox, 1);
    await outbox.refund('pay-1', { reason: 'the buyer withdrew' });
    await world.drainFor(outbox, 1);
    const { order } = intent('pay-1', { external_payment_ref: 'pay-1' });
    expect(refunded).toEqual([{ key: 'pay-1', order }]);
    expect(await stored(engine)).not.toContain(buyer.email);
  });

  it('keeps the buyer until its callback has received it', async () => {
    const engine = memoryEngine(world.time.options);
    let isDown = true;
    const buyers: unknown[] = [];
    const onPlaced: OrderOutboxOptions['onPlaced'] = (_order, sale) => {
      if (isDown) throw new Error('no such column');
      buyers.push(sale.order.buyer);
    };
    const outbox = await world.outboxAfterFailures({ engine, onPlaced }, { buyer });
    expect(await outbox.get('pay-1')).toMatchObject({ attention: { reason: 'handler_failed' } });
    isDown = false;
    await outbox.resolve('pay-1', 'retry');
    await world.drainFor(outbox, 1);
    expect(buyers).toEqual([buyer]);
    expect(await stored(engine)).not.toContain(buyer.email);
  });
});

/** An outbox whose results wait, and the number of jobs that are read from its queues. */
async function outboxWithWaitingResults(count: number) {
  const read = { jobs: 0 };
  const engine = withQueues(memoryEngine(world.time.options), (queue) => ({
    list: async (...args) => {
      const page = await queue.list(...args);
      read.jobs += page.items.length;
      return page;
    },
  }));
  const onPlaced = () => Promise.reject(new Error('database down'));
  const outbox = world.outboxWith({ engine, onPlaced });
  await world.addSales(outbox, count);
  await world.drainFor(outbox, 1);
  return { outbox, read };
}

it('an event reads the result of its own sale, however many wait', async () => {
  const { outbox, read } = await outboxWithWaitingResults(40);
  const [order] = await world.orders();
  expect(await outbox.hasUnreportedSale(order!)).toBe(true);
  // What an earlier release may have left is looked for once.
  expect(await outbox.hasUnreportedSale({ public_id: 'ord_y', domain: 'y.example' })).toBe(false);
  read.jobs = 0;
  expect(await outbox.hasUnreportedSale(order!)).toBe(true);
  expect(await outbox.hasUnreportedSale({ public_id: 'ord_x', domain: 'x.example' })).toBe(false);
  expect(read.jobs).toBe(1);
});

it('an event waits for a result that an earlier release has stored by its key', async () => {
  const engine = memoryEngine(world.time.options);
  const before = world.outboxWith({ engine, onPlaced: () => Promise.reject(new Error('down')) });
  await before.add(intent('pay-1'));
  await world.drainFor(before, 1);
  await before.stop();
  const [order] = await world.orders();
  const verdicts = { ...ordersQueue, name: ordersQueue.name.replace('-orders', '-verdicts') };
  const { items } = await (await engine.open(verdicts)).list('open', { limit: 10 });
  const { id, createdAt, body = '' } = items[0]!;
  const earlier = memoryEngine(world.time.options);
  const queue = await earlier.open(verdicts);
  await queue.enqueue([{ id, orderingKey: id, createdAt, body }]);
  const after = world.outboxWith({ engine: earlier });
  expect(await after.hasUnreportedSale(order!)).toBe(true);
  await world.drainFor(after, 1);
  expect(await after.hasUnreportedSale(order!)).toBe(false);
});

it('list() without a state lists every sale once', async () => {
  const outbox = await world.outboxWithSale();
  await outbox.add(intent('pay-2', { domain: 'tea.example', expected_price: 1 }));
  await world.drainFor(outbox, 1);
  await outbox.add(intent('pay-3', { domain: 'later.example' }));
  const states = async (page: ReturnType<typeof outbox.list>) =>
    (await page).map(({ key, state }) => `${key} ${state}`);
  const all = ['pay-3 waiting', 'pay-1 placed', 'pay-2 refused'];
  expect(await states(outbox.list())).toEqual(all);
  const first = await outbox.list({ limit: 2 });
  const rest = await states(outbox.list({ cursor: first.nextCursor! }));
  expect([...(await states(outbox.list({ limit: 2 }))), ...rest]).toEqual(all);
});

it('after an outage, sales that were never sent do not wait for the look-ups of those before them', async () => {
  const outbox = world.outboxWith();
  await world.addSales(outbox, 100);
  world.time.nowMs += 13 * 3_600_000;
  let most = 0;
  const placing = () =>
    outbox.status().then(({ placing: count }) => (most = Math.max(most, count)));
  const drained = outbox.drain({ maxMs: 60_000 });
  for (let second = 0; second < 10; second += 1) {
    await world.time.advance(1_000);
    await placing();
  }
  expect(world.reported).toHaveLength(100);
  expect(world.requests('POST')).toHaveLength(100);
  expect(world.requests('GET')).toHaveLength(200);
  await world.time.advance(60_000);
  await drained;
});
