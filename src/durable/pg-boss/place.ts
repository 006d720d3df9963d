/** `findPlace`: where a boss keeps a queue, which the engine must read, and the pool must reach. */

import { DurableConfigurationError } from '../errors.js';
import { noJob, queuePolicy, readRows, type PgBossLike, type SqlExecutor } from './boss.js';
import { toDate } from './rows.js';
import { codesOf } from './transactions.js';

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
  const policy = written?.policy;
  if (policy !== undefined && policy !== queuePolicy) {
    throw new DurableConfigurationError(
      `The queue ${queue} has the policy "${policy}" of pg-boss, under which the events of one sale run at the same time and out of order. The engine needs "${queuePolicy}": give the inbox or outbox another "name", or delete the queue once its jobs have ended (boss.deleteQueue("${queue}")), so that the next start creates it.`,
    );
  }
  const writtenMs = toDate(written?.createdOn).getTime();
  // Parsers of the boss's client may give it in a form that is not known here.
  const isOfBoss = (ms: number) => Number.isNaN(writtenMs) || ms === writtenMs;
  const createdMs = await requireTime(boss.getDb(), isOfBoss);
  return async (db) => {
    await requireTime(db, (ms) => ms === createdMs);
  };
}

/**
 * pg-boss before 12.35 takes no claim for the end of an attempt: every end would be refused, after its order was
 * placed. Nothing but the call itself says so.
 *
 * @throws {@link DurableConfigurationError}
 */
export async function requireFence(
  boss: PgBossLike,
  queue: string,
  db: SqlExecutor,
): Promise<void> {
  try {
    await boss.complete(queue, { id: noJob, retryCount: 0 }, {}, { db });
  } catch (error) {
    if (!codesOf(error).includes('22P02')) throw error;
    throw new DurableConfigurationError(
      'The pg-boss of your program is older than 12.35. It takes no claim for the end of an attempt, so no order could be recorded. Nothing was sent. Run npm install pg-boss@12.',
      { cause: error },
    );
  }
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
