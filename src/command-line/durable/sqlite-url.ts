/** `openSqlite`: the file of a `sqlite:` url, by node:sqlite or the partner's better-sqlite3. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DurableEngine } from '../../durable/queue/engine.js';
import type { SqliteDatabase } from '../../durable/sqlite/database.js';
import { sqliteSchema } from '../../durable/sqlite/schema.js';
import { sqliteEngine } from '../../durable/sqlite/sqlite-engine.js';
import { UsageError } from '../terminal.js';
import type { EngineRequest, OpenEngine } from './engine-kind.js';
import { requirePackage } from './partner-package.js';

type Opener = (path: string, isReadOnly: boolean) => SqliteDatabase;

/** Not async: both drivers answer in the same turn. */
export function openSqlite({ url, cwd, writes }: EngineRequest): OpenEngine {
  const path = pathOf(url, cwd);
  // Both drivers create a file that is missing.
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  const database = findOpener(cwd)(path, !writes);
  try {
    requireTables(database, path);
    const engine = sqliteEngine(database, { migrate: false });
    return {
      engine: engine as DurableEngine,
      listQueues: () => Promise.resolve(listQueues(database)),
      close: () => Promise.resolve(void database.close()),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

export function sqliteDdl(): string {
  return sqliteSchema.trimStart();
}

function pathOf(url: string, cwd: string): string {
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '') throw new UsageError('"--engine sqlite:" needs the path of a file');
  return resolve(cwd, path);
}

function findOpener(cwd: string): Opener {
  const builtins = process as { getBuiltinModule?: (name: string) => unknown };
  const builtin = builtins.getBuiltinModule?.('node:sqlite') as
    | { DatabaseSync: new (path: string, options: { readOnly: boolean }) => SqliteDatabase }
    | undefined;
  if (builtin !== undefined) {
    return (path, readOnly) => new builtin.DatabaseSync(path, { readOnly });
  }
  const Database = requirePackage(cwd, 'better-sqlite3') as new (
    path: string,
    options: { readonly: boolean },
  ) => SqliteDatabase;
  return (path, readonly) => new Database(path, { readonly });
}

/** Before the engine: it would switch the journal of another program's file. */
function requireTables(database: SqliteDatabase, path: string): void {
  const table = database
    .prepare("select 1 from sqlite_master where type = 'table' and name = 'market_job'")
    .get();
  if (table === undefined) {
    throw new Error(`${path} holds no inbox and no outbox: is it the file of your program?`);
  }
}

function listQueues(database: SqliteDatabase): string[] {
  const rows = database
    .prepare('select queue from market_job union select queue from market_checkpoint order by 1')
    .all() as { queue: string }[];
  return rows.map(({ queue }) => queue);
}
