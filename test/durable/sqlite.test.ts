import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createOrderOutbox, sqliteSchema, type SqliteDatabase } from 'market-partner-sdk/durable';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually, job as jobOf } from './engine-kit/engine-harness.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { ManualTime } from './support/manual-time.js';
import { noCallbacks } from './support/no-callbacks.js';
import { intent, OutboxWorld, useOutboxWorld } from './support/outbox-world.js';
import type { QueueSpec } from '../../src/durable/queue/engine.js';
import { sqliteEngine } from './support/open-engines.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const openDatabase = findBetterSqlite();

const databases = temporaryDatabases(openDatabase);
const { open } = databases;
const pathOf = () => join(databases.folder, 'market.db');

afterEach(() => void vi.restoreAllMocks());

const spec: QueueSpec = { name: 'tests', leaseMs: 30_000, keepDoneMs: 86_400_000 };
const job = (id: string) => jobOf(id, id);
interface RawMode {
  raw(toggle: boolean): unknown;
}
interface Cursor {
  iterate(): Iterable<{ id: string }>;
}
const bound = (database: SqliteDatabase) => ({
  exec: (sql: string) => database.exec(sql),
  close: () => database.close(),
});
const value = (database: SqliteDatabase, sql: string) =>
  Object.values(database.prepare(sql).get() as object)[0] as unknown;

describe.skipIf(openDatabase === undefined)('a database of the caller', () => {
  it('is made durable, and keeps its own wait for other writers', () => {
    const database = open();
    database.exec('pragma busy_timeout = 123');
    sqliteEngine(database);
    expect(value(database, 'pragma journal_mode')).toBe('wal');
    expect(value(database, 'pragma synchronous')).toBe(2);
    expect(value(database, 'pragma busy_timeout')).toBe(123);
  });

  it('gets no tables where "migrate" is false, and must have them', async () => {
    expect(() => sqliteEngine(open(), { migrate: false })).toThrow('Run sqliteSchema first');
    open().exec(sqliteSchema);
    const queue = await sqliteEngine(open(), { migrate: false }).open(spec);
    expect((await queue.enqueue([job('a')])).added).toEqual(['a']);
  });

  it('that is in memory, or is none, is refused', () => {
    const inMemory = openDatabase!(':memory:');
    expect(() => sqliteEngine(inMemory)).toThrow('memoryEngine()');
    inMemory.close();
    expect(() => sqliteEngine(null as never)).toThrow('"database" must be a path, a DatabaseSync');
    const wrong = (options: object) => () => sqliteEngine(open(), options);
    expect(wrong({ migrat: false })).toThrow('"migrat" is not an option');
    expect(wrong({ pollMs: 0 })).toThrow('"pollMs" must be a whole number from 1 up');
  });

  it('may give its rows as BigInts', async () => {
    const database = open() as SqliteDatabase & { defaultSafeIntegers(toggle: boolean): unknown };
    database.defaultSafeIntegers(true);
    const engine = sqliteEngine(database);
    const queue = await engine.open(spec);
    await queue.enqueue([job('a'), job('b')]);
    const ran: unknown[] = [];
    await queue.work(
      async ({ id, attempt, enqueuedAt }) => {
        ran.push([id, attempt, Number.isNaN(enqueuedAt.getTime())]);
        return Promise.resolve(id === 'a' ? { done: 'it' } : { deadLetter: 'no' });
      },
      { concurrency: 1, signal: new AbortController().signal, untilIdle: true },
    );
    expect(ran).toEqual([
      ['a', 1, false],
      ['b', 1, false],
    ]);
    expect((await queue.list('done', { limit: 5 })).items).toMatchObject([
      { id: 'a', state: 'done', claims: 1 },
    ]);
    expect(await queue.counts()).toMatchObject({ dead: 1, waiting: 0, overdueMs: null });
    // Its own statements give what they gave before.
    expect(value(database, 'select 1')).toBe(1n);
  });

  it('that gives rows which cannot be read is refused at the start', () => {
    const database = open();
    const prepare = (sql: string) => (database.prepare(sql) as unknown as RawMode).raw(true);
    const raw = { ...bound(database), prepare } as unknown as SqliteDatabase;
    expect(() => sqliteEngine(raw)).toThrow('must be objects of numbers and texts');
  });

  it('may be read by "recover" with a cursor: all payments are added', async () => {
    const world = await OutboxWorld.start();
    onTestFinished(() => world.stop());
    const database = open();
    database.exec('create table payment (id text primary key)');
    for (let index = 0; index < 205; index += 1) {
      database.exec(`insert into payment values ('payment-${index}')`);
    }
    const outbox = world.outboxWith({
      engine: sqliteEngine(database, world.time.options) as never,
      *recover() {
        const select = database.prepare('select id from payment') as unknown as Cursor;
        for (const { id } of select.iterate()) {
          yield intent(id, { domain: `${id}.example` });
        }
        throw new Error('the cursor broke at its end');
      },
    });
    const stored = "select count(*) from market_job where queue like '%-orders'";
    await outbox.start();
    const error = async () => (await outbox.status()).recover.error;
    await eventually('the cursor broke', async () => (await error())?.includes('broke') === true);
    expect(value(database, stored)).toBe(205);
  });

  it('may have a transaction open: writes wait for its end, for ten seconds', async () => {
    const time = new ManualTime();
    const database = open();
    const queue = await sqliteEngine(database, time.options).open(spec);
    database.exec('begin');
    const added = queue.enqueue([job('a')]);
    await time.advance(9_000);
    database.exec('commit');
    await time.advance(50);
    expect((await added).added).toEqual(['a']);

    database.exec('begin');
    const never = Promise.all([queue.enqueue([job('b')]), queue.enqueue([job('c')])]);
    const refusal = expect(never).rejects.toThrow('within a transaction');
    await time.advance(11_000);
    await refusal;
    database.exec('rollback');
    expect((await queue.enqueue([job('b')])).added).toEqual(['b']);
  });

  it('is the only "tx" that an enqueue joins', async () => {
    const queue = await sqliteEngine(open()).open(spec);
    const joined = queue.enqueue([job('a')], { tx: open() });
    await expect(joined).rejects.toThrow('"tx" must be the database');
  });

  it('refuses a commit whose write returns a promise, and undoes it', async () => {
    const database = open();
    database.exec('create table payment (id text)');
    const queue = await sqliteEngine(database).open(spec);
    await queue.enqueue([job('a')]);
    let refusal: unknown;
    await queue.work(
      async ({ commit }) => {
        const write = (tx: SqliteDatabase) =>
          Promise.resolve(tx.prepare("insert into payment values ('a')").run());
        await commit(write).catch((error: unknown) => (refusal = error));
        return { retryInMs: 60_000, error: 'refused' };
      },
      { concurrency: 1, signal: new AbortController().signal, untilIdle: true },
    );
    expect(refusal).toBeInstanceOf(TypeError);
    expect(value(database, 'select count(*) from payment')).toBe(0);
    expect((await queue.find(['a'])).get('a')).toMatchObject({ state: 'waiting' });
  });
});

/** Node 20 has no node:sqlite: better-sqlite3 has the same three methods, and stands in for it. */
function standInForNodeSqlite(): void {
  // Called with `new`: what it returns is the instance.
  const DatabaseSync = function (at: string) {
    return openDatabase!(at);
  };
  const builtins: Record<string, object> = { 'node:sqlite': { DatabaseSync } };
  vi.spyOn(process, 'getBuiltinModule').mockImplementation((name: string) => builtins[name]);
}

describe.skipIf(openDatabase === undefined)('a path', () => {
  it('is opened by the first queue and closed with the last', async () => {
    standInForNodeSqlite();
    const engine = sqliteEngine(pathOf());
    const one = await engine.open(spec);
    const two = await engine.open({ ...spec, name: 'others' });
    await one.enqueue([job('a')]);
    await one.close();
    expect((await two.enqueue([job('b')])).added).toEqual(['b']);
    await two.close();
    await expect(Promise.resolve().then(() => two.counts())).rejects.toThrow();
    const again = await engine.open(spec);
    expect((await again.find(['a'])).size).toBe(1);
    await again.close();
  });

  it('whose file is no database is refused when the engine is made', () => {
    standInForNodeSqlite();
    expect(() => sqliteEngine(databases.folder)).toThrow();
    expect(() => sqliteEngine(pathOf(), { migrate: false })).toThrow('Run sqliteSchema first');
  });
});

describe.skipIf(openDatabase === undefined)('the halves on SQLite', () => {
  const world = useOutboxWorld();

  it('an intent joins the transaction of its payment: both, or neither', async () => {
    const database = open();
    database.exec('create table payment (id text)');
    const outbox = createOrderOutbox({
      market: world.market.market,
      engine: sqliteEngine(database),
      ...noCallbacks,
    });
    const pay = async (key: string, end: 'commit' | 'rollback') => {
      database.exec('begin immediate');
      database.prepare('insert into payment values (?)').run(key);
      await outbox.add(intent(key), { tx: database });
      database.exec(end);
    };
    await pay('pay-1', 'rollback');
    expect(await outbox.get('pay-1')).toBeUndefined();
    await pay('pay-2', 'commit');
    expect(await outbox.get('pay-2')).toMatchObject({ state: 'waiting' });
    expect(value(database, 'select group_concat(id) from payment')).toBe('pay-2');
    expect(await outbox.drain({ maxMs: 10_000 })).toMatchObject({ placed: 1, left: 0 });
    const placed = await world.market.market.orders.list({ domain: 'brew.example' }).toArray();
    expect(placed.map(({ external_payment_ref: reference }) => reference)).toEqual(['pay-2']);
    await outbox.stop();
  });

  it('calls that came before stop() end as if it had not come, and then the file is closed', async () => {
    standInForNodeSqlite();
    const engine = sqliteEngine(pathOf());
    const outbox = createOrderOutbox({ market: world.market.market, engine, ...noCallbacks });
    // The file closes some turns of the queue of promises after stop(): in each of them a call is under way.
    for (let turns = 0; turns < 20; turns += 1) {
      const key = `pay-${turns}`;
      await outbox.get(key);
      const calls = [outbox.add(intent(key)), outbox.list({ state: 'waiting', limit: 1 })];
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await outbox.stop();
      await Promise.all(calls);
      expect(await outbox.get(key)).toMatchObject({ state: 'waiting' });
    }
    await outbox.stop();
    expect(readdirSync(databases.folder)).toEqual(['market.db']);
  });
});
