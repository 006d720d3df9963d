/** The engines of this package as `engineChecks` takes them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqliteDatabase } from 'market-partner-sdk/durable';
import type { EngineUnderTest } from '../engine-kit/index.js';
import { freezableTime } from './freezable-time.js';
import { memoryEngine, sqliteEngine } from './open-engines.js';

export function memoryUnderTest(): EngineUnderTest<never> {
  const time = freezableTime();
  const engine = memoryEngine(time.options);
  return {
    engine,
    another: () => engine,
    crash: time.freeze,
    interrupt: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** @param open - opens a database file, with whichever driver is tested. */
export function sqliteUnderTest(open: (path: string) => SqliteDatabase) {
  return (): EngineUnderTest<SqliteDatabase> => {
    const folder = mkdtempSync(join(tmpdir(), 'market-durable-'));
    const path = join(folder, 'market.db');
    const databases: SqliteDatabase[] = [];
    const openNext = () => {
      const database = open(path);
      databases.push(database);
      return database;
    };
    const time = freezableTime();
    const database = openNext();
    database.exec('create table mark (value integer)');
    const inTransaction = async (work: () => Promise<void>) => {
      database.exec('begin immediate');
      try {
        await work();
        database.exec('commit');
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    };
    return {
      engine: sqliteEngine(database, time.options),
      another: () => sqliteEngine(openNext()),
      crash: time.freeze,
      interrupt: (ms) => inTransaction(() => new Promise((resolve) => setTimeout(resolve, ms))),
      transaction: (work) => inTransaction(() => work(database)),
      marks: {
        write: (tx) => tx.prepare('insert into mark values (1)').run(),
        count: () => (database.prepare('select count(*) as n from mark').get() as { n: number }).n,
      },
      close: () => {
        for (const each of databases) each.close();
        rmSync(folder, { recursive: true });
      },
    };
  };
}
