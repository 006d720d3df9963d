// The shop's tables: in SQLite, or in PostgreSQL where DATABASE_URL is set. Both read the same SQL.

import { sqliteEngine } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';

// A quote is stored under the id of the checkout that it waits for. A sale is a payment that was made, of its price.
// The order may cost less. A payment that was not as quoted has no domain.
const tables = `
  create table if not exists quote (
    checkout text primary key, domain text not null, price integer not null, currency text not null, quote_id text);
  create table if not exists sale (
    payment text primary key, domain text, price integer, currency text,
    paid_at text not null, state text not null, order_id text, order_price integer, reason text, paid_back_at text);
  create table if not exists progress (order_id text primary key, event text, status text, at bigint)`;

/**
 * `read` and `write` take SQL and its values. `write` also takes the transaction that the outbox and the
 * inbox pass; without one, the write is a transaction of its own.
 */
export function openDatabase(onError) {
  const { DATABASE_URL, DATABASE = 'shop.db' } = process.env;
  return DATABASE_URL ? openPostgres(DATABASE_URL, onError) : openSqlite(DATABASE);
}

async function openSqlite(file) {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file);
  database.exec(tables);
  const prepare = (sql) => database.prepare(sql.replaceAll(/\$\d/g, '?'));
  return {
    engine: sqliteEngine(database),
    read: async (sql, ...values) => prepare(sql).all(...values),
    write: (_transaction, sql, ...values) => void prepare(sql).run(...values),
    close: async () => database.close(),
  };
}

async function openPostgres(connectionString, onError) {
  const { default: pg } = await import('pg');
  const { PgBoss } = await import('pg-boss');
  const pool = new pg.Pool({ connectionString });
  // Without these listeners a lost connection ends the process.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const boss = new PgBoss({ connectionString });
  boss.on('error', onError);
  await boss.start();
  // The lock is for processes that start at the same time.
  await pool.query(`select pg_advisory_xact_lock(1); ${tables}`);
  return {
    engine: pgBossEngine(boss, { pool }),
    read: async (sql, ...values) => (await pool.query(sql, values)).rows,
    write: (client, sql, ...values) => (client ?? pool).query(sql, values),
    async close() {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}
