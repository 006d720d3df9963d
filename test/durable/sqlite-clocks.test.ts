import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SqliteDatabase } from 'market-partner-sdk/durable';
import { expect, it, onTestFinished } from 'vitest';
import { gate, job } from './engine-kit/engine-harness.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { sqliteEngine } from './support/open-engines.js';

const openDatabase = findBetterSqlite();
const spec = { name: 'tests', leaseMs: 30_000, keepDoneMs: 86_400_000 };

it.skipIf(openDatabase === undefined)(
  'a clock that jumps forward may start a job twice, and stores one commit',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'market-durable-'));
    const databases: SqliteDatabase[] = [];
    onTestFinished(() => {
      for (const database of databases) database.close();
      rmSync(folder, { recursive: true });
    });
    let nowMs = Date.parse('2026-03-01T12:00:00Z');
    const openQueue = () => {
      const database = openDatabase!(join(folder, 'market.db'));
      databases.push(database);
      return sqliteEngine(database, { clock: () => nowMs, pollMs: 5 }).open(spec);
    };
    const [first, second] = [await openQueue(), await openQueue()];
    databases[0]!.exec('create table effect (worker text not null)');
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
    expect(databases[0]!.prepare('select worker from effect').all()).toEqual([
      { worker: 'second' },
    ]);
    await Promise.all([first.close(), second.close()]);
  },
);
