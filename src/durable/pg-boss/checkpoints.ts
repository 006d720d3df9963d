/** What the engine needs in pg-boss's schema: a table for how far each history was read, an index, and its queues. */

import { DurableConfigurationError } from '../errors.js';
import type { Checkpoint } from '../queue/job.js';
import { queuePolicy, readRows, type SqlExecutor } from './boss.js';
import { listQueues } from './row-queries.js';

/** The name of a schema that can be a part of statements. */
export const schemaName = /^[a-z_][a-z0-9_]{0,49}$/i;

/** The statements for programs that may not create tables. */
export function checkpointDdl(schema: string): string {
  return `create table if not exists ${schema}.market_checkpoint (queue text primary key, checkpoint jsonb not null)`;
}

/** pg-boss has no index of the jobs that are done, and none in the order of the pages of `list`. */
export function pageIndexDdl(schema: string): string {
  return `create index if not exists market_job_page on ${schema}.job_common (name, state, created_on, id) where policy = '${queuePolicy}'`;
}

export function queueDdl(schema: string, queue: string): string {
  return `select ${schema}.create_queue('${queue}', '{"policy":"${queuePolicy}"}'::jsonb)`;
}

/** pg-boss finds no jobs in a queue that does not exist: every drain would do nothing, without an error. */
export async function requireQueue(db: SqlExecutor, schema: string, queue: string): Promise<void> {
  if ((await listQueues(db, schema)).includes(queue)) return;
  throw new DurableConfigurationError(
    `The queue ${queue} is missing in the schema ${schema} and "migrate" is false. Create it once: ${queueDdl(schema, queue)};`,
  );
}

/** Creates the table, or throws if `migrate` is false and it is missing. */
export async function openCheckpoints(
  db: SqlExecutor,
  schema: string,
  migrate: boolean,
): Promise<void> {
  const hasTable = await exists(db, `${schema}.market_checkpoint`);
  if (hasTable && (!migrate || (await exists(db, `${schema}.market_job_page`)))) return;
  if (!migrate) {
    throw new DurableConfigurationError(
      `The table ${schema}.market_checkpoint is missing and "migrate" is false. Create it once: ${checkpointDdl(schema)};`,
    );
  }
  // "if not exists" still fails if two processes create the table in the same moment.
  await db.executeSql(`do $$ begin
    perform pg_advisory_xact_lock(hashtext('${schema}.market_checkpoint'));
    ${checkpointDdl(schema)};
    begin
      ${pageIndexDdl(schema)};
    exception when insufficient_privilege then
      -- Another role owns the table of pg-boss: the log says so.
    end;
  end $$`);
}

/** @returns What to do, if pages of a queue are read without their index. */
export async function warnOfPages(db: SqlExecutor, schema: string): Promise<string | undefined> {
  if (await exists(db, `${schema}.market_job_page`)) return undefined;
  return `The index ${schema}.market_job_page is missing: each page of "list" and "reconcile" reads the whole queue. Create it once, by the role that owns ${schema}.job_common: ${pageIndexDdl(schema)};`;
}

async function exists(db: SqlExecutor, relation: string): Promise<boolean> {
  const select = 'select to_regclass($1) is not null as found';
  const [row] = await readRows<{ found: boolean }>(db, select, [relation]);
  return row?.found === true;
}

export async function readCheckpoint(
  db: SqlExecutor,
  schema: string,
  queue: string,
): Promise<Checkpoint | undefined> {
  const select = `select checkpoint from ${schema}.market_checkpoint where queue = $1`;
  const [row] = await readRows<{ checkpoint: Checkpoint }>(db, select, [queue]);
  return row?.checkpoint;
}

export async function writeCheckpoint(
  db: SqlExecutor,
  schema: string,
  queue: string,
  checkpoint: Checkpoint,
): Promise<void> {
  await db.executeSql(
    `insert into ${schema}.market_checkpoint values ($1, $2)
     on conflict (queue) do update set checkpoint = excluded.checkpoint`,
    [queue, JSON.stringify(checkpoint)],
  );
}
