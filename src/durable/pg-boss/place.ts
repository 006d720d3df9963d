/** `findPlace`: where a boss keeps a queue, which the engine must read, and the pool must reach. */

import { DurableConfigurationError } from '../errors.js';
import { readRows, type PgBossLike, type SqlExecutor } from './boss.js';
import { toDate } from './rows.js';

/** Refuses a connection that does not lead to the queue. @throws {@link DurableConfigurationError} */
export type RequirePlace = (db: SqlExecutor) => Promise<void>;

/**
 * A boss that writes elsewhere would take sales whose rows are never found. Asks no client of the pool: the caller
 * may hold the last one, in the transaction whose `add` opens the queue.
 *
 * @throws {@link DurableConfigurationError} when the queue of the boss is not in the schema.
 */
export async function findPlace(
  boss: PgBossLike,
  schema: string,
  queue: string,
): Promise<RequirePlace> {
  const requireTime = async (db: SqlExecutor, isRight: (createdMs: number) => boolean) => {
    const createdMs = await readQueueTime(db, schema, queue);
    if (createdMs !== undefined && isRight(createdMs)) return createdMs;
    throw new DurableConfigurationError(
      `The queue ${queue} of "boss" is not in the schema ${schema} of "pool": set "schema" to the boss's, and give both the same database. Nothing was stored.`,
    );
  };
  const written = await boss.getQueue(queue);
  const writtenMs = toDate(written?.createdOn).getTime();
  // Parsers of the boss's client may give it in a form that is not known here.
  const isOfBoss = (ms: number) => Number.isNaN(writtenMs) || ms === writtenMs;
  const createdMs = await requireTime(boss.getDb(), isOfBoss);
  return async (db) => {
    await requireTime(db, (ms) => ms === createdMs);
  };
}

/** When a queue was created, in Unix milliseconds; `undefined` if it was not. */
async function readQueueTime(
  db: SqlExecutor,
  schema: string,
  queue: string,
): Promise<number | undefined> {
  const select = `select created_on from ${schema}.queue where name = $1`;
  try {
    const [row] = await readRows<{ created_on: string }>(db, select, [queue]);
    return row && Date.parse(row.created_on);
  } catch (error) {
    // There is no such schema, or no table of pg-boss in it.
    if ((Object(error) as { code?: unknown }).code === '42P01') return undefined;
    throw error;
  }
}
