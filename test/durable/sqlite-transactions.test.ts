import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SqliteDatabase } from 'market-partner-sdk/durable';
import { describe, expect, it } from 'vitest';
import { job as jobOf } from './engine-kit/engine-harness.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { ManualTime } from './support/manual-time.js';
import { temporaryDatabases } from './support/temporary-databases.js';
import type { DurableQueue } from '../../src/durable/queue/engine.js';
import { sqliteEngine } from './support/open-engines.js';

const openDatabase = findBetterSqlite();
const databases = temporaryDatabases(openDatabase);

const spec = { name: 'tests', leaseMs: 30_000, keepDoneMs: 86_400_000 };
const job = (id: string) => jobOf(id, id);
const count = (database: SqliteDatabase, table: string) =>
  (database.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n;

/** The ids that run now. */
async function drain<Tx, AddTx>(queue: DurableQueue<Tx, AddTx>): Promise<string[]> {
  const ids: string[] = [];
  const { signal } = new AbortController();
  const run = ({ id }: { id: string }) => {
    ids.push(id);
    return Promise.resolve({ done: undefined });
  };
  await queue.work(run, { concurrency: 4, signal, untilIdle: true });
  return ids;
}

describe.skipIf(openDatabase === undefined)('SQLite', () => {
  it('a commit that fails undoes nothing that its caller writes in the same turn', async () => {
    const database = databases.open();
    database.exec('create table audit (line text)');
    const queue = await sqliteEngine(database).open(spec);
    await queue.enqueue([job('a')]);
    let failure: unknown;
    const { signal } = new AbortController();
    await queue.work(
      async ({ commit }) => {
        const committed = commit(() => {
          throw new Error('constraint failed');
        });
        database.prepare("insert into audit values ('paid')").run();
        await committed.catch((error: unknown) => (failure = error));
        return { done: undefined };
      },
      { concurrency: 1, signal, untilIdle: true },
    );
    expect(failure).toMatchObject({ message: 'constraint failed' });
    expect(count(database, 'audit')).toBe(1);
  });

  it('a transaction that the caller begins in the same turn as a commit is not refused', async () => {
    const database = databases.open();
    const queue = await sqliteEngine(database).open(spec);
    let hasBegun = false;
    await queue.enqueue([job('a')]);
    const { signal } = new AbortController();
    await queue.work(
      async ({ commit }) => {
        const committed = commit(() => undefined);
        database.exec('begin immediate');
        database.exec('commit');
        hasBegun = true;
        await committed;
        return { done: undefined };
      },
      { concurrency: 1, signal, untilIdle: true },
    );
    expect(hasBegun).toBe(true);
    expect((await queue.find(['a'])).get('a')?.state).toBe('done');
  });

  it('a write that throws fails alone: others of its turn, and of other queues, are stored', async () => {
    const database = databases.open();
    const engine = sqliteEngine(database);
    const [first, second] = [
      await engine.open(spec),
      await engine.open({ ...spec, name: 'other' }),
    ];
    database.exec(`create trigger refuse before insert on market_job when new.id = 'bad'
      begin select raise(abort, 'refused'); end`);
    const results = await Promise.allSettled([
      first.enqueue([job('good')]),
      first.enqueue([job('bad')]),
      second.enqueue([job('elsewhere')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([(await first.counts()).waiting, (await second.counts()).waiting]).toEqual([1, 1]);
  });

  it('lets the event loop run while another process holds the database', async () => {
    const [database, other] = [databases.open(), databases.open()];
    const queue = await sqliteEngine(database).open(spec);
    other.exec('begin immediate');
    let isStored = false;
    const stored = queue.enqueue([job('a')]).then(() => (isStored = true));
    // A blocked event loop would end this sleep only after the lock was given up on.
    await sleep(100);
    expect(isStored).toBe(false);
    other.exec('commit');
    await stored;
    expect((await queue.counts()).waiting).toBe(1);
  });

  it.each([
    ['stored', 0],
    ['put off', 60_000],
    ['claimed by a process that then ended', 30_000],
  ])('what was %s while the clock was ahead runs once the clock is right', async (what, ms) => {
    const time = new ManualTime();
    const rightMs = time.nowMs;
    const [ahead, right] = [databases.open(), databases.open()];
    const early = await sqliteEngine(right, time.options).open(spec);
    // A process that has ended renews nothing.
    const ended = () => new Promise<void>(() => undefined);
    const sleep = what === 'put off' ? time.options.sleep : ended;
    const aheadOptions = { sleep, clock: () => rightMs + 86_400_000 };
    const wrong = await sqliteEngine(ahead, aheadOptions).open(spec);
    // It has looked before, and is not started again.
    expect(await drain(early)).toEqual([]);
    await wrong.enqueue([job('a')]);
    const claimed = new AbortController();
    const { signal } = claimed;
    const options = { concurrency: 1, signal };
    if (what === 'put off') {
      await wrong.work(() => Promise.resolve({ retryInMs: 60_000, error: 'busy' }), {
        ...options,
        untilIdle: true,
      });
    } else if (ms > 0) {
      await new Promise<void>((resolve) => {
        void wrong.work(() => {
          resolve();
          return new Promise(() => undefined);
        }, options);
      });
    }
    await time.advance(ms + 10_000);
    const ids = await drain(early);
    if (ms > 0 && ids.length === 0) {
      // The first look found the wrong times; what they mean is counted from it.
      await time.advance(ms);
      ids.push(...(await drain(early)));
    }
    expect(ids).toEqual(['a']);
  });

  it('enqueueSync serves a transaction that takes a synchronous function', async () => {
    const database = databases.open();
    const queue = sqliteEngine(database).openSync!(spec);
    const add = (id: string, fails: boolean) => {
      database.exec('begin immediate');
      queue.enqueueSync!([job(id)], database);
      database.exec(fails ? 'rollback' : 'commit');
    };
    add('kept', false);
    add('undone', true);
    expect(() => queue.enqueueSync!([job('outside')], database)).toThrow('no open transaction');
    expect(await drain(queue)).toEqual(['kept']);
  });

  const fixtures = new URL('./fixtures/', import.meta.url);
  const versions = readdirSync(fixtures).filter((name) => name.startsWith('sqlite-version-'));

  it.each(versions)('%s is brought up to date, and its work goes on', async (name) => {
    const database = databases.open();
    database.exec(readFileSync(new URL(name, fixtures), 'utf8'));
    const engine = sqliteEngine(database);
    const queue = await engine.open({ ...spec, name: 'market-default-sandbox-events' });
    expect(await queue.checkpoint()).toMatchObject({ cursor: 'retried' });
    expect(await queue.counts()).toMatchObject({ waiting: 3, running: 1, dead: 1 });
    expect((await drain(queue)).sort()).toEqual(['retried', 'running', 'waiting']);
    expect(await queue.retry('dead')).toBe(true);
    expect(await drain(queue)).toEqual(['dead', 'behind-dead']);
    expect((await queue.enqueue([job('done')])).added).toEqual([]);
  });

  it('has a fixture of the version before this one for every upgrade', () => {
    const database = databases.open();
    sqliteEngine(database);
    const row = database.prepare('select version from market_schema').get() as { version: number };
    const before = Array.from({ length: row.version - 1 }, (_, index) => index + 1);
    expect(versions).toEqual(before.map((version) => `sqlite-version-${version}.sql`));
  });

  it('works on tables of a newer release that lets it, and leaves them as they are', async () => {
    const database = databases.open();
    await (await sqliteEngine(database).open(spec)).enqueue([job('before')]);
    // What the newer release added, and the index that it no longer wants.
    database.exec(`alter table market_job add column newer text; drop index market_job_done;
      update market_schema set version = 99`);
    const schema = () => database.prepare('select sql from sqlite_master').all();
    const before = schema();
    for (const migrate of [true, false]) {
      const queue = await sqliteEngine(database, { migrate }).open(spec);
      await queue.enqueue([job(`after ${migrate}`)]);
      expect(await drain(queue)).toContain(`after ${migrate}`);
    }
    expect(schema()).toEqual(before);
    const version = database.prepare('select version from market_schema').get();
    expect(version).toEqual({ version: 99 });
  });

  it('refuses tables of a newer release that does not, and leaves them as they are', () => {
    const database = databases.open();
    sqliteEngine(database);
    database.exec(
      'update market_schema set version = 99; update market_schema_oldest set version = 98',
    );
    expect(() => sqliteEngine(database)).toThrow(/version 99.*newer release/);
    expect(() => sqliteEngine(database, { migrate: false })).toThrow(/version 99.*newer release/);
  });
});
