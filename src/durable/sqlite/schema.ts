/** The tables of `sqliteEngine`. */

import { DurableConfigurationError } from '../errors.js';
import { prepare, type SqliteDatabase } from './database.js';

/** The states of a job as the table has them. */
export const stateCodes = { waiting: 0, running: 1, dead: 2, done: 3 } as const;

const version = 2;

/** The oldest version whose release may work on tables of this one: a deploy can be rolled back so far. */
const oldestVersion = 2;

/**
 * The SQL that creates the tables of `sqliteEngine`, for programs that may not create tables: run it
 * once, and make the engine with `migrate: false`. Running it again changes nothing.
 *
 * `due_at` marks the one job of an ordering key that may run: when it is due, or when its lease
 * ends. So a claim reads one index, no matter how many jobs wait behind it.
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
  done_at integer,
  outcome text,
  failing_since integer,
  due_set_at integer not null default 0
);
create unique index if not exists market_job_id on market_job (queue, id);
create index if not exists market_job_due on market_job (queue, due_at) where due_at is not null;
create index if not exists market_job_open on market_job (queue, ordering_key, seq) where state < 3;
create index if not exists market_job_done on market_job (queue, done_at) where state = 3;
create table if not exists market_checkpoint (queue text primary key, checkpoint text not null);
insert into market_schema (version) select ${version} where not exists (select 1 from market_schema);
create table if not exists market_schema_oldest (version integer not null);
insert into market_schema_oldest (version) select ${oldestVersion} where not exists (select 1 from market_schema_oldest);
`;

/** What each older version lacks. Columns only, so that processes of the older release can continue. */
const migrations: Readonly<Record<number, string>> = {
  1: `
    alter table market_job add column outcome text;
    alter table market_job add column failing_since integer;
    alter table market_job add column due_set_at integer not null default 0;
    update market_job set outcome = json_extract(output, '$.verdict.state')
    where state = 3 and queue like '%-orders' and json_valid(output);
  `,
};

/**
 * Creates the tables, or brings those of an older release up to date. Several processes may do so at once.
 *
 * @throws {@link DurableConfigurationError} when a newer release wrote them, and says that this one may not work on them.
 */
export function migrate(database: SqliteDatabase): void {
  database.exec('begin immediate');
  try {
    const found = versionOf(database, 'market_schema');
    // Tables of a newer release are left as it made them.
    if (found !== undefined && found > version) requireOldest(database, found);
    for (let from = found ?? version; from < version; from += 1) {
      database.exec(`${migrations[from] ?? ''} update market_schema set version = ${from + 1}`);
    }
    if (found === undefined || found <= version) database.exec(sqliteSchema);
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

/** @throws {@link DurableConfigurationError} when the tables are missing, or of another version. */
export function checkVersion(database: SqliteDatabase): void {
  const found = versionOf(database, 'market_schema');
  if (found === undefined) {
    throw new DurableConfigurationError(
      'The database holds no inbox and no outbox, and "migrate" is false. Run sqliteSchema first, or open the file of your program.',
    );
  }
  if (found < version) throw versionError(found);
  if (found > version) requireOldest(database, found);
}

function requireOldest(database: SqliteDatabase, found: number): void {
  const oldest = versionOf(database, 'market_schema_oldest') ?? found;
  if (oldest > version) throw versionError(found);
}

function versionOf(
  database: SqliteDatabase,
  table: 'market_schema' | 'market_schema_oldest',
): number | undefined {
  const exists = `select 1 from sqlite_master where type = 'table' and name = '${table}'`;
  if (prepare(database, exists).get() === undefined) return undefined;
  const row = prepare(database, `select max(version) as version from ${table}`).get();
  return (row as { version: number | null }).version ?? undefined;
}

function versionError(found: number): DurableConfigurationError {
  const remedy =
    found > version
      ? 'A newer release of market-partner-sdk wrote them, which this one may not work on. Use that release, or a backup from before.'
      : 'Open the database once without "migrate: false".';
  return new DurableConfigurationError(
    `The tables of sqliteEngine have version ${found}; this release has version ${version}. ${remedy}`,
  );
}
