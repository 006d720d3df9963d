/** Another engine takes over what an outbox holds: nothing is sold, refunded or told twice. */

import type { OrderOutboxOptions } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { expect, it } from 'vitest';
import { moveQueue } from '../../src/durable/queue/move-queue.js';
import type { DurableQueue, QueueEngine } from '../../src/durable/queue/engine.js';
import { resolveTime } from '../../src/core/time/sleep.js';
import { memoryEngine } from './support/open-engines.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

const newEngine = () => memoryEngine(world.time.options);
const queues = ['orders', 'verdicts'].map((kind) => `market-default-sandbox-${kind}`);
const open = (engine: QueueEngine, name: string) =>
  engine.open({ name, leaseMs: 30_000, keepDoneMs: 3_650 * 86_400_000 });

/** @param mayGoOn - is asked before each step in the new engine */
async function move(from: QueueEngine, to: QueueEngine, mayGoOn: () => void = () => undefined) {
  const time = resolveTime(world.time.options);
  const all = async () => {
    for (const name of queues) {
      await moveQueue(await open(from, name), stoppable(await open(to, name), mayGoOn), time);
    }
  };
  const state = { isOver: false };
  const moving = all().finally(() => (state.isOver = true));
  moving.catch(() => undefined);
  while (!state.isOver) await world.time.advance(1_000);
  await moving;
}

/** A process that ends at a step has done neither it nor any later one; a job that it has claimed stays so. */
function stoppable(queue: DurableQueue, mayGoOn: () => void): DurableQueue {
  return {
    ...queue,
    enqueue: (jobs, options) => {
      mayGoOn();
      return queue.enqueue(jobs, options);
    },
    work: async (run, { concurrency }) => {
      const ended = new AbortController();
      let cause: Error | undefined;
      const step = async (...[job]: Parameters<typeof run>) => {
        try {
          mayGoOn();
        } catch (error) {
          cause = error as Error;
          ended.abort();
          return new Promise<never>(() => undefined);
        }
        return run(job);
      };
      const { signal } = ended;
      await queue.work(step, { concurrency, signal, abandonSignal: signal, untilIdle: true });
      if (cause !== undefined) throw cause;
    },
  };
}

const callbacks = () => {
  const { reported } = world;
  return {
    onRefunded: (_order, { key }) => reported.push(`${key} refunded`),
    onNotRefunded: (_why, { key }) => reported.push(`${key} not refunded`),
  } satisfies Partial<OrderOutboxOptions>;
};

const keys = ['placed', 'refused', 'attention', 'refunding', 'new'];

/** Sales in every state, and a refund whose request may have been done. */
async function sell(engine: QueueEngine) {
  const outbox = world.outboxWith({ engine, ...callbacks() });
  const { admin, faults } = world.emulator;
  for (const key of keys) admin.list({ domain: `${key}.example`, price_cents: 250_000 });
  const add = (key: string) => outbox.add(intent(key, { domain: `${key}.example` }));
  await add('placed');
  await add('refunding');
  admin.reprice('refused.example', 260_000);
  await add('refused');
  faults.on(({ json }) => JSON.stringify(json).includes('attention'), fault.status(503));
  await add('attention');
  await world.drainFor(outbox, 1);
  for (let hour = 0; hour < 25; hour += 1) {
    const drained = outbox.drain({ maxMs: 60_000 });
    await world.time.advance(3_600_000);
    await drained;
  }
  faults.clear();
  faults.on('POST /refunds', fault.resetBeforeWork(), { times: 1 });
  await outbox.refund('refunding', { reason: 'withdrew' });
  await world.drainFor(outbox, 1);
  await outbox.stop();
  await add('new');
  await outbox.stop();
}

const told = [
  'attention attention not_placed_in_time 0',
  'placed placed placed.example',
  'refunding placed refunding.example',
  'refused refused price_mismatch first_attempt',
];

async function expectTakenOver(engine: QueueEngine) {
  expect(world.reported.splice(0).sort()).toEqual(told);
  const orders = world.requests('POST').length;
  const outbox = world.outboxWith({ engine, ...callbacks() });
  for (const key of keys) {
    const sale = intent(key, { domain: `${key}.example` });
    expect(await outbox.add(sale), key).toEqual({ added: false });
  }
  expect(await outbox.get('attention')).toMatchObject({ state: 'attention' });
  await world.drainFor(outbox, 60);
  const refund = 'refunding attention not_visible 0';
  expect(world.reported.sort()).toEqual(['new placed new.example', refund].sort());
  expect(world.requests('POST').length - orders).toBe(1);
  const refunds = world.emulator.requests.filter(({ path }) => path.endsWith('/refunds'));
  expect(refunds).toHaveLength(1);
  await outbox.resolve('attention', 'retry');
  await world.drainFor(outbox, 5);
  expect(world.reported).toContain('attention placed attention.example');
}

it('each sale goes on in the new engine from the state that it has', async () => {
  const [from, to] = [newEngine(), newEngine()];
  await sell(from);
  await move(from, to);
  await expectTakenOver(to);
});

it('a move that ends at any step, and is run again, comes to the same', async () => {
  const from = newEngine();
  await sell(from);
  for (let lastStep = 0, isOver = false; !isOver; lastStep += 1) {
    const to = newEngine();
    let steps = 0;
    try {
      await move(from, to, () => {
        if (steps++ === lastStep) throw new Error('ended');
      });
      isOver = true;
      expect(lastStep).toBeGreaterThan(15);
    } catch (error) {
      expect(error).toMatchObject({ message: 'ended' });
      await move(from, to);
    }
    const copies = await Promise.all(
      [from, to].map(async (engine) => {
        const found = await Promise.all(
          queues.map(async (name) => jobsOf(await open(engine, name))),
        );
        return found.flat();
      }),
    );
    expect(copies[1]).toEqual(copies[0]);
  }
});

/** What must be the same in both engines: more claims than there were only make an outbox look first. */
async function jobsOf(queue: DurableQueue) {
  const pages = await Promise.all(
    (['done', 'open'] as const).map((state) => queue.list(state, { limit: 1_000 })),
  );
  return pages
    .flatMap(({ items }) => items)
    .map(({ id, state, orderingKey, output, outcome, body }) =>
      state === 'done'
        ? { id, state, orderingKey, output, outcome }
        : { id, state, orderingKey, body },
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
