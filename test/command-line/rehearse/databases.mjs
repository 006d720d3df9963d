// The drivers that test/durable/servers installs.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../durable/servers/package.json', import.meta.url));
const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';

/** better-sqlite3 where it is installed, else node:sqlite. */
export function openSqlite(file) {
  try {
    return new (require('better-sqlite3'))(file);
  } catch {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    return new DatabaseSync(file);
  }
}

export async function openPostgres(schema) {
  const { PgBoss } = require('pg-boss');
  const { Pool } = require('pg');
  const boss = new PgBoss({ connectionString, schema, max: 4 });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  await boss.start();
  const pool = new Pool({ connectionString, max: 4 });
  pool.on('error', (error) => console.error('pg:', error.message));
  return { boss, pool };
}

export async function dropSchema(schema) {
  const { Pool } = require('pg');
  const pool = new Pool({ connectionString });
  await pool.query(`drop schema if exists ${schema} cascade`);
  await pool.end();
}
