import {
  createEventInbox,
  sqliteEngine,
  type EventInbox,
  type EventListeners,
  type SqliteDatabase,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBetterSqlite } from './support/find-sqlite.js';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const openDatabase = findBetterSqlite();
const databases = temporaryDatabases(openDatabase);
const harness = useInboxHarness();

describe.skipIf(openDatabase === undefined)('commit', () => {
  let database: SqliteDatabase;
  let inbox: EventInbox | undefined;

  beforeEach(() => {
    database = databases.open();
    database.exec('create table effect (id text)');
  });
  afterEach(() => inbox?.stop({ graceMs: 0 }));

  const inboxWith = (on: EventListeners<SqliteDatabase>): EventInbox => {
    inbox = createEventInbox({
      market: harness.world.market,
      engine: sqliteEngine(database, harness.world.time.options),
      startFrom: 'beginning',
      retry: { maxAttempts: 3, baseMs: 1_000, maxMs: 1_000 },
      random: () => 0.5,
      logger: harness.log.logger,
      ...harness.world.time.options,
      on,
    });
    return inbox;
  };
  const writeEffect = (id: string) => (tx: SqliteDatabase) => {
    tx.prepare('insert into effect values (?)').run(id);
  };
  const effects = () => database.prepare('select id from effect').all().length;

  it('a commit that the listener did not return is awaited, and its failure fails the attempt', async () => {
    let failures = 1;
    await harness.world.sell(1);
    const running = inboxWith({
      'order.recorded': ({ id }, { commit }) => {
        void commit((tx) => {
          if (failures-- > 0) throw new Error('no such column');
          writeEffect(id)(tx);
        });
      },
    });
    expect(await drain(running)).toMatchObject({ handled: 0, failed: 1, left: 1 });
    expect(effects()).toBe(0);
    await harness.world.time.advance(1_000);
    expect(await drain(running)).toMatchObject({ handled: 1, left: 0 });
    expect(effects()).toBe(1);
  });

  it('a commit whose failure the listener swallowed fails the attempt, unless another one succeeds', async () => {
    let tries = 0;
    await harness.world.sell(1);
    const running = inboxWith({
      'order.recorded': async ({ id }, { commit }) => {
        tries += 1;
        const failing = () => {
          throw new Error('busy');
        };
        await commit(failing).catch(() => undefined);
        if (tries === 2) await commit(writeEffect(id));
      },
    });
    expect(await drain(running)).toMatchObject({ handled: 0, failed: 1 });
    await harness.world.time.advance(1_000);
    expect(await drain(running)).toMatchObject({ handled: 1, left: 0 });
    expect([tries, effects()]).toEqual([2, 1]);
  });

  it('a listener that throws after its commit is done, and is not reported as running again', async () => {
    await harness.world.sell(1);
    const running = inboxWith({
      'order.recorded': async ({ id }, { commit }) => {
        await commit(writeEffect(id));
        throw new Error('mail server down');
      },
    });
    expect(await drain(running)).toMatchObject({ handled: 1, failed: 0, left: 0 });
    expect(effects()).toBe(1);
    expect(harness.logged('warn')).toEqual([
      'The listener of order.recorded failed after its commit; the event is done.',
    ]);
  });
});

it('commit rejects at run time on an engine without transactions, which fails the attempt', async () => {
  await harness.world.sell(1);
  const refusals: unknown[] = [];
  const running = harness.inbox({
    on: {
      'order.recorded': async (_event, context) => {
        const { commit } = context as unknown as { commit: (write: () => void) => Promise<void> };
        await commit(() => undefined).catch((error: unknown) => refusals.push(error));
      },
    },
  });
  expect(await drain(running)).toMatchObject({ handled: 0, failed: 1 });
  expect(refusals).toEqual([expect.any(TypeError)]);
});
