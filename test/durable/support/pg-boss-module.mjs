/** The engine module of the crash tests on pg-boss. The store is the name of a schema. */

import { createRequire } from 'node:module';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';

const require = createRequire(new URL('../servers/package.json', import.meta.url));
const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';

/** The schema of this process: `writeEffect` gets no store. */
let schema;

export default async function openEngine(store) {
  schema = store;
  const boss = await openBoss(store, { migrate: false, supervise: false });
  return pgBossEngine(boss, { pool: openPool(), schema: store, pollMs: 50 });
}

/** Creates the schema, its tables, and the table of effects, which has no unique key. */
export async function createStore(store) {
  const boss = await openBoss(store, { supervise: false });
  await boss.stop({ graceful: false });
  await query(`create table ${store}.effect (id text not null)`);
}

export const dropStore = (store) => query(`drop schema if exists ${store} cascade`);

export const writeEffect = (tx, id) => tx.query(`insert into ${schema}.effect values ($1)`, [id]);

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

function openPool() {
  const { Pool } = require('pg');
  const pool = new Pool({ connectionString, max: 4 });
  pool.on('error', (error) => console.error('pg:', error.message));
  return pool;
}

async function query(text) {
  const pool = openPool();
  try {
    return await pool.query(text);
  } finally {
    await pool.end();
  }
}
