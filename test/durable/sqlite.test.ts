import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createEventInbox,
  createOrderOutbox,
  sqliteSchema,
  type SqliteDatabase,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findBetterSqlite } from './support/find-sqlite.js';
import { sellOther, sparing } from './support/other-events.js';
import { ManualTime } from './support/manual-time.js';
import { noCallbacks } from './support/no-callbacks.js';
import { MarketWorld } from './support/market-world.js';
import { intent, OutboxWorld } from './support/outbox-world.js';
import type { QueueSpec } from '../../src/durable/queue/engine.js';
import { sqliteEngine } from './support/open-engines.js';

const openDatabase = findBetterSqlite();

let folder: string;
let path: string;
const databases: SqliteDatabase[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-durable-'));
  path = join(folder, 'market.db');
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const database of databases.splice(0)) database.close();
  rmSync(folder, { recursive: true });
});

function open(): SqliteDatabase {
  const database = (openDatabase ?? (() => expect.fail('better-sqlite3 is not installed')))(path);
  databases.push(database);
  return database;
}

const spec: QueueSpec = {
  name: 'tests',
  leaseMs: 30_000,
  keepDoneMs: 86_400_000,
};
const job = (id: string) => ({
  id,
  orderingKey: id,
  body: '{}',
  createdAt: '2026-03-01T12:00:00.000Z',
});
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
    await vi.waitFor(async () => {
      expect((await outbox.status()).recover.error).toContain('the cursor broke');
    });
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
    const engine = sqliteEngine(path);
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
    expect(() => sqliteEngine(folder)).toThrow();
    expect(() => sqliteEngine(path, { migrate: false })).toThrow('Run sqliteSchema first');
  });
});

describe.skipIf(openDatabase === undefined)('the halves on SQLite', () => {
  let world: MarketWorld;
  beforeEach(async () => {
    world = await MarketWorld.start();
    world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
  });
  afterEach(() => world.stop());

  const intent = (key: string) => ({
    key,
    order: { domain: 'brew.example', expected_price: 250_000, currency: 'USD' },
  });

  it('an intent joins the transaction of its payment: both, or neither', async () => {
    const database = open();
    database.exec('create table payment (id text)');
    const outbox = createOrderOutbox({
      market: world.market,
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
    const placed = await world.market.orders.list({ domain: 'brew.example' }).toArray();
    expect(placed.map(({ external_payment_ref: reference }) => reference)).toEqual(['pay-2']);
    await outbox.stop();
  });

  it('calls that came before stop() end as if it had not come, and then the file is closed', async () => {
    standInForNodeSqlite();
    const engine = sqliteEngine(path);
    const outbox = createOrderOutbox({ market: world.market, engine, ...noCallbacks });
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
    expect(readdirSync(folder)).toEqual(['market.db']);
  });

  it('a dead letter holds the later events of its sale until an operator discards it', async () => {
    const handled: string[] = [];
    const note = ({ type }: { type: string }) => handled.push(type);
    const inbox = createEventInbox({
      market: world.market,
      startFrom: 'beginning',
      retry: { maxAttempts: 1 },
      engine: sqliteEngine(open()),
      ...sparing({
        'order.recorded': () => Promise.reject(new Error('no such column')),
        'order.transfer_started': note,
        'order.transfer_completed': note,
      }),
    });
    await sellOther(world);
    await inbox.drain({ maxMs: 10_000 });
    const [order] = await world.sell(1);
    world.emulator.admin.startTransfer(order!.public_id);
    await inbox.drain({ maxMs: 10_000 });
    world.emulator.admin.completeTransfer(order!.public_id);
    expect(await inbox.drain({ maxMs: 10_000 })).toMatchObject({ left: 2 });
    expect(handled).toEqual([]);
    expect(await inbox.status()).toMatchObject({ dead: 1, missedWebhooks: 0 });
    const [letter] = await inbox.deadLetters();
    expect(await inbox.discard(letter!.id, 'done by hand')).toBe(true);
    await inbox.drain({ maxMs: 10_000 });
    expect(handled).toEqual(['order.transfer_started', 'order.transfer_completed']);
    await inbox.stop();
  });
});
