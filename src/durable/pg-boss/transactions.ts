/** Transactions on clients of the partner's pool. */

import type { PgClientLike, PgPoolLike, SqlExecutor } from './boss.js';

/** Runs `work` between begin and commit; rolls back when it rejects. */
export async function inTransaction<Client extends PgClientLike, T>(
  pool: PgPoolLike<Client>,
  work: (client: Client, db: SqlExecutor) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure = error;
  };
  // The pool does not listen to a client that it handed out, and Node ends the process then.
  client.on?.('error', fail);
  try {
    await client.query('begin');
    const result = await work(client, toExecutor(client));
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that cannot roll back must not return to the pool with an open transaction.
    await client.query('rollback').catch((rollbackError: unknown) => {
      fail(rollbackError instanceof Error ? rollbackError : new Error(String(rollbackError)));
    });
    throw error;
  } finally {
    client.removeListener?.('error', fail);
    client.release(failure);
  }
}

/** pg-boss calls `executeSql`; a client of pg has `query`. */
export function toExecutor(tx: PgClientLike | SqlExecutor): SqlExecutor {
  if ('executeSql' in tx) return tx;
  return { executeSql: (text, values) => tx.query(text, values) };
}
