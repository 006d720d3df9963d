/** The engine module of the crash tests on pg-boss. The store is the name of a schema. */

import { createRequire } from 'node:module';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';

const require = createRequire(new URL('../servers/package.json', import.meta.url));
const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';

/** The schema of this process: `writeEffect` gets no store. */
let schema;

/** Rows that commits share: a lock of one holds up some of them. */
const gates = 16;

export default async function openEngine(store, { clock, fault } = {}) {
  schema = store;
  const boss = await openBoss(store, { migrate: false, supervise: false });
  const pool = openPool(10);
  pool.on('connect', (client) => {
    if (fault === 'waitsForLocks') waitForLocks(client);
  });
  return pgBossEngine(boss, { pool, schema: store, pollMs: 50, clock });
}

/** The planted fault: locked rows are waited for, not passed over. */
function waitForLocks(client) {
  const query = client.query.bind(client);
  client.query = (text, ...others) =>
    query(
      typeof text === 'string' ? text.replace('for update skip locked', 'for update') : text,
      ...others,
    );
}

/** Creates the schema, its tables, and the test's: effects, without any unique key, and gates. */
export async function createStore(store) {
  const boss = await openBoss(store, { supervise: false });
  await boss.stop({ graceful: false });
  await query(`create table ${store}.effect (id text not null)`);
  await query(`create table ${store}.gate as select generate_series(0, ${gates - 1}) as id`);
}

export const dropStore = (store) => query(`drop schema if exists ${store} cascade`);

export async function writeEffect(tx, id) {
  const gate = (id.codePointAt(id.length - 1) ?? 0) % gates;
  await tx.query(`select from ${schema}.gate where id = $1 for share`, [gate]);
  await tx.query(`insert into ${schema}.effect values ($1)`, [id]);
}

export const writeOutside = (id) => query(`insert into ${schema}.effect values ('${id}')`);

export async function holdLock(store, work) {
  const pool = openPool(1);
  const client = await pool.connect();
  await client.query(`begin; select from ${store}.gate where id = 1 for update`);
  await work();
  await client.query('rollback');
  client.release();
  await pool.end();
}

export const emptyStore = (store) =>
  query(`truncate ${store}.job, ${store}.market_checkpoint, ${store}.effect`);

export async function readEffects(store) {
  const { rows } = await query(`select id from ${store}.effect`);
  return rows.map(({ id }) => id);
}

function openBoss(store, options) {
  const { PgBoss } = require('pg-boss');
  const boss = new PgBoss({ connectionString, schema: store, max: 4, schedule: false, ...options });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  return boss.start();
}

function openPool(max) {
  const { Pool } = require('pg');
  const pool = new Pool({ connectionString, max });
  pool.on('error', (error) => console.error('pg:', error.message));
  return pool;
}

async function query(text) {
  const pool = openPool(1);
  try {
    return await pool.query(text);
  } finally {
    await pool.end();
  }
}
