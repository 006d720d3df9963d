/** The tables of `sqliteEngine`. */

import { DurableConfigurationError } from '../errors.js';
import type { SqliteDatabase } from './database.js';

/** The states of a job as the table has them. */
export const stateCodes = { waiting: 0, running: 1, dead: 2, done: 3 } as const;

const version = 1;

/**
 * The SQL that creates the tables of `sqliteEngine`, for programs that may not create tables: run it
 * once, and make the engine with `migrate: false`. Running it again changes nothing.
 *
 * `due_at` marks the one job of an ordering key that may run: when it is due, or when its lease
 * ends. So a claim reads one index, however much waits behind it.
 */
export const sqliteSchema = `
create table if not exists market_schema (version integer not null);
create table if not exists market_job (
  seq integer primary key,
  queue text not null,
  id text not null,
  ordering_key text not null,
  state integer not null,
  due_at integer,
  attempt integer not null,
  claims integer not null,
  token text,
  body text,
  output text,
  error text,
  created_at text not null,
  enqueued_at integer not null,
  done_at integer
);
create unique index if not exists market_job_id on market_job (queue, id);
create index if not exists market_job_due on market_job (queue, due_at) where due_at is not null;
create index if not exists market_job_open on market_job (queue, ordering_key, seq) where state < 3;
create index if not exists market_job_done on market_job (queue, done_at) where state = 3;
create table if not exists market_checkpoint (queue text primary key, checkpoint text not null);
insert into market_schema (version) select ${version} where not exists (select 1 from market_schema);
`;

/** Creates what is missing. Several processes may do so at once. */
export function migrate(database: SqliteDatabase): void {
  database.exec('begin immediate');
  try {
    database.exec(sqliteSchema);
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
  checkVersion(database);
}

/** @throws {@link DurableConfigurationError} when the tables are missing, or of a later version. */
export function checkVersion(database: SqliteDatabase): void {
  let found: unknown;
  try {
    const row = database.prepare('select max(version) as version from market_schema').get();
    found = (row as { version: unknown }).version;
  } catch {
    throw new DurableConfigurationError(
      'The database has no tables of sqliteEngine, and "migrate" is false: run sqliteSchema first.',
    );
  }
  if (found !== version) {
    throw new DurableConfigurationError(
      `The tables of sqliteEngine have version ${String(found)}; this package writes version ${version}.`,
    );
  }
}
