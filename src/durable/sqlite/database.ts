/** The part of node:sqlite and better-sqlite3 that is used, and how a path is opened. */

import { closeSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DurableConfigurationError, DurableStateError } from '../errors.js';

/** What SQLite stores. */
export type SqliteValue = string | number | bigint | null | Uint8Array;

/** A `DatabaseSync` of node:sqlite, or a `Database` of better-sqlite3. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** A database as its driver types it: not every signature of better-sqlite3 takes `null`. */
export interface SqliteHandle {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: never[]): { readonly changes: number | bigint };
    get(...values: never[]): unknown;
    all(...values: never[]): unknown[];
  };
  close(): unknown;
}

/** A prepared statement. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

const inMemory =
  'sqliteEngine keeps work in a file, since a database in memory ends with the process. Use memoryEngine() where that is wanted.';

/** What sets the form of a statement's rows, in better-sqlite3 and in node:sqlite. */
interface RowForms {
  safeIntegers?(toggle: boolean): unknown;
  setReadBigInts?(toggle: boolean): unknown;
  setReturnArrays?(toggle: boolean): unknown;
}

/** A statement whose rows are objects of numbers and texts, whatever the handle is set to. */
export function prepare(database: SqliteDatabase, sql: string): SqliteStatement {
  const statement: SqliteStatement & RowForms = database.prepare(sql);
  statement.safeIntegers?.(false);
  statement.setReadBigInts?.(false);
  statement.setReturnArrays?.(false);
  return statement;
}

/** @throws {@link DurableConfigurationError} when the handle gives rows that cannot be read. */
export function checkRows(database: SqliteDatabase): void {
  const row = prepare(database, "select 1 as number, 'a' as text").get();
  const { number, text } = Object(row) as { number?: unknown; text?: unknown };
  if (number === 1 && text === 'a') return;
  throw new DurableConfigurationError(
    'The rows of the database must be objects of numbers and texts. Pass a handle without a mode for arrays or BigInts.',
  );
}

/**
 * The absolute path of a file that is given by its path, or by a url as the commands take it. Resolved once: a
 * program that changes its folder must not go on in another file.
 *
 * @throws {@link DurableConfigurationError} for the url of something else.
 */
export function resolvePath(given: string, cwd = process.cwd()): string {
  const [scheme = ''] = /^sqlite:(?:\/\/(?=\/))?/.exec(given) ?? [];
  const path = given.slice(scheme.length);
  if (given === '' || path === ':memory:') throw new DurableConfigurationError(inMemory);
  if (/^file:\/\/[^?#]*$/.test(given)) return fileURLToPath(given);
  const hasParameters = scheme !== '' && path.includes('?');
  // A drive of Windows has one letter.
  const isUrl = path === '' || hasParameters || /^[a-z][a-z\d+.-]+:|^\/\//i.test(path);
  if (!isUrl) return resolve(cwd, path);
  throw new DurableConfigurationError(
    'sqliteEngine takes the path of a file, or sqlite:market.db; this is the url of something else.',
  );
}

/** Opens a file with node:sqlite. @throws {@link DurableConfigurationError} */
export function openPath(path: string): SqliteDatabase {
  const DatabaseSync = findNodeSqlite();
  if (DatabaseSync === undefined) {
    throw new DurableConfigurationError(
      `sqliteEngine("${path}") needs node:sqlite, which Node ${process.versions.node} does not have. ` +
        'Use Node 22.13 or later, or give a database: sqliteEngine(new Database("market.db")) of better-sqlite3. ' +
        'For tests, memoryEngine() needs neither.',
    );
  }
  createPrivately(path);
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw withPath(path, error);
  }
}

/** SQLite's own messages do not name the file. */
export function withPath(path: string, error: unknown): Error {
  const { message } = error as Error;
  return Object.assign(error as Error, { message: `${path}: ${message}` });
}

/** Bodies hold buyers' data: no other user of the machine may read them. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite's own message says what is wrong with the path.
  }
}

/** Makes commits durable and lets several processes write. Reads no table. */
export function configure(database: SqliteDatabase): void {
  if (fileOf(database) === '') throw new DurableConfigurationError(inMemory);
  if (readPragma(database, 'journal_mode', 'journal_mode') !== 'wal') {
    try {
      database.exec('pragma journal_mode = wal');
    } catch (error) {
      // Opened to be read, such as a backup: nothing will be committed.
      if (!(error instanceof Error && error.message.includes('readonly'))) throw error;
    }
  }
  // better-sqlite3 is compiled with NORMAL, which can lose the newest commits at power loss.
  database.exec('pragma synchronous = full');
}

/** The path of the file; empty for a database in memory. */
export function fileOf(database: SqliteDatabase): string {
  const file = readPragma(database, 'database_list', 'file');
  return typeof file === 'string' ? file : '';
}

/**
 * What notices that a file was replaced or taken away, such as by a restore or a deploy: the open handle goes on in
 * the old one, which has no name any longer, and whose rows no program will read again.
 *
 * @returns A function that throws a {@link DurableStateError} then.
 */
export function fileCheck(file: string): () => void {
  const opened = identityOf(file);
  return () => {
    const found = identityOf(file);
    if (opened === undefined || found === undefined || found === opened) return;
    throw new DurableStateError(
      `${file} was replaced or removed while this program had it open: what it wrote would be lost. Nothing was stored. Stop all programs of this file, and start them again.`,
    );
  };
}

/** Of the file behind a name. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    // A file that cannot be looked at for another reason may still be the same.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : undefined;
  }
}

/** SQLite waits for a lock without letting the event loop run: not longer than `ms` here. */
export function withBusyTimeout(database: SqliteDatabase, ms: number, work: () => unknown): void {
  const { timeout } = prepare(database, 'pragma busy_timeout').get() as { timeout: number };
  database.exec(`pragma busy_timeout = ${ms}`);
  try {
    work();
  } finally {
    database.exec(`pragma busy_timeout = ${timeout}`);
  }
}

function readPragma(database: SqliteDatabase, pragma: string, column: string): unknown {
  const row = prepare(database, `pragma ${pragma}`).get() as Record<string, unknown> | undefined;
  return row?.[column];
}

type DatabaseClass = new (path: string, options?: { readonly readOnly: boolean }) => SqliteDatabase;

export function findNodeSqlite(): DatabaseClass | undefined {
  // Deno and bundlers would resolve an import at once; Node 20 has no such module.
  const builtins = process as { getBuiltinModule?: (name: string) => unknown };
  const module = builtins.getBuiltinModule?.('node:sqlite') as
    { readonly DatabaseSync: DatabaseClass } | undefined;
  return module?.DatabaseSync;
}
