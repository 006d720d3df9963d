/** Transactions on clients of the partner's pool. */

import { hasMethod } from '../../core/schema/options.js';
import { DurableStateError } from '../errors.js';
import { noOpenTransaction } from '../queue/check-jobs.js';
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
    if (isLostConnection(error)) fail(error);
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

const startAttempts = 10;

/**
 * Calls `work` again where PostgreSQL answers that another transaction was faster, as it does to programs that start
 * at once on a database whose default is SERIALIZABLE. Each such answer means that another one has got on.
 */
export async function untilSerialized<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === startAttempts || !codesOf(error).includes('40001')) throw error;
    }
  }
}

/**
 * A connection that leads nowhere, or to a server that takes no writes since it was demoted: every later
 * transaction on it would fail as well.
 */
function isLostConnection(error: unknown): error is Error {
  const { code } = Object(error) as { code?: unknown };
  return error instanceof Error && typeof code === 'string' && /^(08|57P|25006$)/.test(code);
}

/** pg-boss calls `executeSql`; a client of pg has `query`. */
export function toExecutor(tx: PgClientLike | SqlExecutor): SqlExecutor {
  if ('executeSql' in tx) return tx;
  return { executeSql: (text, values) => tx.query(text, values) };
}

/** How the transactions of other libraries are recognized, and what makes an executor of one. */
const libraries: readonly (readonly [member: string, library: string, executor: string])[] = [
  ['$queryRawUnsafe', 'Prisma', 'fromPrisma(tx)'],
  ['executeQuery', 'Kysely', 'fromKysely(tx)'],
  ['raw', 'Knex', 'fromKnex(tx)'],
  ['getTransactionContext', 'MikroORM', 'fromKysely(tx.getTransactionContext())'],
  ['getRepository', 'TypeORM', inline('tx.query(text, values)')],
  ['manager', 'TypeORM', inline('tx.query(text, values)')],
  [
    'sequelize',
    'Sequelize',
    inline('sequelize.query(text, { bind: values, transaction: tx, type: "SELECT" })'),
  ],
  ['unsafe', 'postgres.js', inline('tx.unsafe(text, values)')],
  ['oneOrNone', 'pg-promise', inline('tx.query(text, values)')],
  [
    'maybeOne',
    'Slonik',
    inline('(await tx.query({ ...sql.unsafe``, sql: text, values: values ?? [] })).rows'),
  ],
  ['execute', 'Drizzle', 'fromDrizzle(tx, sql)'],
];

function inline(query: string): string {
  return `{ executeSql: async (text, values) => ({ rows: await ${query} }) }`;
}

const noRows = 'What runs the SQL of "tx" must resolve with { rows }, the rows of the statement.';

/** @throws {@link TypeError} for what runs no SQL as it is, such as a transaction of Drizzle. */
function requireExecutor(tx: unknown): void {
  const members = Object(tx) as Readonly<Record<string, unknown>>;
  if (hasMethod(tx, 'executeSql')) return;
  const found = libraries.find(([member]) => members[member] !== undefined);
  if (found === undefined && hasMethod(tx, 'query')) return;
  const [, library, executor] = found ?? [];
  throw new TypeError(
    found === undefined
      ? '"tx" must be a client of pg in a transaction, or what fromKnex, fromKysely, fromDrizzle or fromPrisma of pg-boss makes of a transaction.'
      : `"tx" is a transaction of ${String(library)}, which the engine cannot run SQL in: pass ${String(executor)}.`,
  );
}

/**
 * Refuses what runs no SQL, a client without an open transaction, and a pool: a rollback would not undo what is
 * stored.
 *
 * @throws {@link TypeError}
 */
export async function requireTransaction(tx: PgClientLike | SqlExecutor): Promise<void> {
  requireExecutor(tx);
  const status = 'getTransactionStatus' in tx ? tx.getTransactionStatus() : undefined;
  // 'T': in a transaction; 'E': in one that has failed, of which PostgreSQL says so itself.
  if (status === 'T' || status === 'E') return;
  try {
    // The one statement that fails outside of a transaction, whatever library the client is of.
    if (status !== 'I') {
      const db = toExecutor(tx);
      const result: unknown = await db.executeSql('savepoint market_add');
      if (!Array.isArray((Object(result) as { rows?: unknown }).rows)) throw new TypeError(noRows);
      // Otherwise the next add would be nested in it: of thousands, each takes longer than the one before.
      await db.executeSql('release savepoint market_add');
      return;
    }
  } catch (error) {
    if (!saysNoTransaction(error)) throw error;
  }
  throw new TypeError(noOpenTransaction);
}

function saysNoTransaction(error: unknown): boolean {
  const { message } = Object(error) as { message?: unknown };
  return codesOf(error).includes('25P01') || String(message).includes('25P01');
}

/** Libraries hold the error of the driver in different places. */
export function codesOf(error: unknown): unknown[] {
  const { cause, parent, driverError, meta } = Object(error) as Record<string, unknown>;
  return [error, cause, parent, driverError, meta].map(
    (each) => (Object(each) as { code?: unknown }).code,
  );
}
