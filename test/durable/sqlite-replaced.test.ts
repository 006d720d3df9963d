import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DurableStateError } from 'market-partner-sdk/durable';
import { describe, expect, it } from 'vitest';
import { job } from './engine-kit/engine-harness.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { sqliteEngine } from './support/open-engines.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const openDatabase = findBetterSqlite();
const databases = temporaryDatabases(openDatabase);
const spec = { name: 'tests', leaseMs: 30_000, keepDoneMs: 86_400_000 };

describe.skipIf(openDatabase === undefined)('a SQLite file that is no longer the open one', () => {
  it.each<[string, (path: string) => void]>([
    [
      'replaced by a backup',
      (path) => {
        copyFileSync(path, `${path}.backup`);
        renameSync(`${path}.backup`, path);
      },
    ],
    ['moved away', (path) => renameSync(path, `${path}.old`)],
    ['removed', (path) => rmSync(path)],
  ])('takes nothing that would be lost, and is named: %s', async (_what, change) => {
    const database = databases.open();
    const path = join(databases.folder, 'market.db');
    const engine = sqliteEngine(database);
    const queue = await engine.open(spec);
    expect(await queue.enqueue([job('before')])).toEqual({ added: ['before'] });
    change(path);
    const sentence = `${path} was replaced or removed while this program had it open`;
    await expect(queue.enqueue([job('after')])).rejects.toThrow(sentence);
    const write = () => undefined;
    await expect(queue.enqueue([job('after')], { write })).rejects.toThrow(DurableStateError);
    const inTransaction = engine.openSync!(spec);
    database.exec('begin');
    expect(() => inTransaction.enqueueSync!([job('after')], database)).toThrow(sentence);
    database.exec('rollback');
    const errors: unknown[] = [];
    const ran: string[] = [];
    const stop = new AbortController();
    await queue.work(
      ({ id }) => {
        ran.push(id);
        return Promise.resolve({ done: undefined });
      },
      {
        concurrency: 1,
        signal: stop.signal,
        onError: (error) => {
          errors.push(error);
          stop.abort();
        },
      },
    );
    expect([ran, String(errors[0])]).toEqual([[], expect.stringContaining(sentence)]);
    await queue.close();
  });

  it('goes on where the file is the same, whatever its name was opened as', async () => {
    const database = databases.open();
    const queue = await sqliteEngine(database).open(spec);
    database.exec('vacuum');
    expect(await queue.enqueue([job('a')])).toEqual({ added: ['a'] });
    await queue.close();
  });
});
