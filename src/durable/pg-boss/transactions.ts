/** Transactions on clients of the partner's pool. */

import { DurableStateError } from '../errors.js';
import type { PgClientLike, PgPoolLike, SqlExecutor } from './boss.js';

/** What a caught error of a statement leaves behind: a commit that PostgreSQL answers by rolling back, without an error. */
const wasRolledBack =
  'PostgreSQL rolled the transaction back, because a statement in it failed and the error was caught. ' +
  'Nothing was stored. Let that error reject, or avoid it by "on conflict do nothing" or a savepoint.';

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
    const { command } = await client.query('commit');
    if (command === 'ROLLBACK') throw new DurableStateError(wasRolledBack);
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

/**
 * Refuses a client without an open transaction, and a pool: a rollback would not undo what is stored.
 *
 * @throws {@link TypeError}
 */
export async function requireTransaction(tx: PgClientLike | SqlExecutor): Promise<void> {
  const status = 'getTransactionStatus' in tx ? tx.getTransactionStatus() : undefined;
  // 'T': in a transaction; 'E': in one that has failed, of which PostgreSQL says so itself.
  if (status === 'T' || status === 'E') return;
  try {
    // The one statement that fails outside of a transaction, whatever library the client is of.
    if (status !== 'I') {
      await toExecutor(tx).executeSql('savepoint market_add');
      return;
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== noActiveTransaction) throw error;
  }
  throw new TypeError(
    '"tx" has no open transaction, so that a rollback would not undo this. Begin one before, or pass "write" instead.',
  );
}

const noActiveTransaction = '25P01';
