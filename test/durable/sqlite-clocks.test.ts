import { type SqliteDatabase } from 'market-partner-sdk/durable';
import { expect, it } from 'vitest';
import { gate, job } from './engine-kit/engine-harness.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { sqliteEngine } from './support/open-engines.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const openDatabase = findBetterSqlite();
const databases = temporaryDatabases(openDatabase);
const spec = { name: 'tests', leaseMs: 30_000, keepDoneMs: 86_400_000 };

it.skipIf(openDatabase === undefined)(
  'a clock that jumps forward may start a job twice, and stores one commit',
  async () => {
    let nowMs = Date.parse('2026-03-01T12:00:00Z');
    const openQueue = () =>
      sqliteEngine(databases.open(), { clock: () => nowMs, pollMs: 5 }).open(spec);
    const [first, second] = [await openQueue(), await openQueue()];
    const database = databases.open();
    database.exec('create table effect (worker text not null)');
    await first.enqueue([job('only')]);

    const { signal } = new AbortController();
    const [begun, released] = [gate(), gate()];
    const starts: string[] = [];
    const errors: string[] = [];
    const writeAs = (worker: string) => (tx: SqliteDatabase) =>
      tx.prepare('insert into effect values (?)').run(worker);
    const working = first.work(
      async ({ commit }) => {
        starts.push('first');
        begun.open();
        await released.opened;
        await commit(writeAs('first')).catch((error: unknown) =>
          errors.push((error as Error).name),
        );
        return { done: undefined };
      },
      { concurrency: 1, signal, untilIdle: true },
    );
    await begun.opened;
    nowMs += 7_200_000;
    await second.work(
      async ({ commit }) => {
        starts.push('second');
        await commit(writeAs('second'));
        return { done: undefined };
      },
      { concurrency: 1, signal, untilIdle: true },
    );
    released.open();
    await working;
    expect(starts).toEqual(['first', 'second']);
    expect(errors).toEqual(['LeaseLostError']);
    expect(database.prepare('select worker from effect').all()).toEqual([{ worker: 'second' }]);
    await Promise.all([first.close(), second.close()]);
  },
);
