import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { QueueEngine } from '../../src/durable/queue/engine.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { memoryEngine, sqliteEngine } from './support/open-engines.js';
import { intent, ordersQueue, useOutboxWorld } from './support/outbox-world.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const world = useOutboxWorld();

const openSqlite = findBetterSqlite();
const databases = temporaryDatabases(openSqlite);
const sqliteFile = () =>
  sqliteEngine(databases.open(randomUUID()), world.time.options) as QueueEngine;

const engines: [string, () => QueueEngine][] = [
  ['memory', () => memoryEngine(world.time.options)],
  ...(openSqlite === undefined ? [] : [['SQLite', sqliteFile] as [string, () => QueueEngine]]),
];

/** The queue as a backup has it that was taken before anything was sent. */
async function restored(from: QueueEngine, open: () => QueueEngine): Promise<QueueEngine> {
  const source = await from.open(ordersQueue);
  const { items } = await source.list('open', { limit: 100 });
  await source.close();
  const engine = open();
  const queue = await engine.open(ordersQueue);
  await queue.enqueue(
    items.map(({ id, orderingKey, createdAt, body = '' }) => ({
      id,
      orderingKey,
      createdAt,
      body,
    })),
  );
  await queue.close();
  return engine;
}

describe.each(engines)(
  'a queue on %s that was restored to before a sale was sent',
  (_name, open) => {
    it.each([
      ['at once', 0],
      ['ten minutes later', 600_000],
    ])('finds the order of a sale that was requoted, %s', async (_when, laterMs) => {
      const engine = open();
      const outbox = await world.outboxWithSale({ engine });
      const backup = await restored(engine, open);
      world.emulator.admin.reprice('brew.example', 240_000);
      await world.drainFor(outbox, 1);
      expect(world.reported).toEqual(['pay-1 placed brew.example']);
      await world.time.advance(laterMs);
      await world.drainFor(world.outboxWith({ engine: backup }), 1);
      expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-1 placed brew.example']);
      expect(await world.orders()).toHaveLength(1);
    });

    it('does not believe that a sale was never sent where it is cancelled', async () => {
      const engine = open();
      const outbox = await world.outboxWithSale({ engine });
      const backup = await restored(engine, open);
      await world.drainFor(outbox, 1);
      const next = world.outboxWith({ engine: backup });
      expect(await next.cancel('pay-1', 'charged back')).toMatchObject({ cancelled: false });
      await world.drainFor(next, 25);
      expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-1 placed brew.example']);
    });
  },
);

it('a database that loses the claim of a sale under a running program proves nothing', async () => {
  let engine: QueueEngine = memoryEngine(world.time.options);
  const failingOver = { ...memoryEngine(), open: (spec) => engine.open(spec) } as QueueEngine;
  const outbox = await world.outboxWithSale({ engine: failingOver });
  const standby = await restored(engine, () => memoryEngine(world.time.options));
  world.emulator.admin.reprice('brew.example', 240_000);
  await world.drain(outbox, 1_000);
  await outbox.stop();
  engine = standby;
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-1 placed brew.example']);
});

it('a database that loses the claim of another process proves nothing, as fast as any fail-over is', async () => {
  const primary = memoryEngine(world.time.options);
  let engine: QueueEngine = primary;
  const failingOver = { ...memoryEngine(), open: (spec) => engine.open(spec) } as QueueEngine;
  const web = world.outboxWith({ engine: failingOver });
  await web.add(intent('pay-1'));
  const standby = await restored(primary, () => memoryEngine(world.time.options));
  world.emulator.admin.reprice('brew.example', 240_000);
  const worker = world.outboxWith({ engine: primary });
  await world.drainFor(worker, 0.5);
  expect(world.reported).toEqual(['pay-1 placed brew.example']);
  await web.stop();
  engine = standby;
  await world.drainFor(web, 1);
  expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-1 placed brew.example']);
  expect(await world.orders()).toHaveLength(1);
});

it('a sale that waited for longer than five seconds is looked up before it is refused', async () => {
  const outbox = await world.outboxWithSale({}, { expected_price: 1 });
  await world.time.advance(6_000);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refused price_mismatch looked_up']);
});
