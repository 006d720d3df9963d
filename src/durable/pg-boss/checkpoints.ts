/** What the engine needs in pg-boss's schema: one table, for how far each history was read, and its queues. */

import { DurableConfigurationError } from '../errors.js';
import type { Checkpoint } from '../queue/job.js';
import { readRows, type SqlExecutor } from './boss.js';
import { listQueues } from './row-queries.js';

/** The name of a schema that can be a part of statements. */
export const schemaName = /^[a-z_][a-z0-9_]{0,49}$/i;

/** The statements for operators whose programs may not create tables. */
export function checkpointDdl(schema: string): string {
  return `create table if not exists ${schema}.market_checkpoint (queue text primary key, checkpoint jsonb not null)`;
}

export function queueDdl(schema: string, queue: string): string {
  return `select ${schema}.create_queue('${queue}', '{"policy":"key_strict_fifo"}'::jsonb)`;
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
  const select = 'select to_regclass($1) is not null as found';
  const [table] = await readRows<{ found: boolean }>(db, select, [`${schema}.market_checkpoint`]);
  if (table?.found === true) return;
  if (!migrate) {
    throw new DurableConfigurationError(
      `The table ${schema}.market_checkpoint is missing and "migrate" is false. Create it once: ${checkpointDdl(schema)};`,
    );
  }
  // "if not exists" still fails if two processes create the table in the same moment.
  await db.executeSql(`do $$ begin
    perform pg_advisory_xact_lock(hashtext('${schema}.market_checkpoint'));
    ${checkpointDdl(schema)};
  end $$`);
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
