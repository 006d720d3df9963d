/** The engines that `npm run bench -- durable` measures: those whose drivers and servers are there. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { memoryEngine, sqliteEngine } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { createStore, dropStore } from '../../durable/support/pg-boss-module.mjs';

/** `npm run test:engines` installs the drivers. */
const require = createRequire(new URL('../../durable/servers/package.json', import.meta.url));

/**
 * @typedef {object} OpenedEngine
 * @property {import('market-partner-sdk/durable').DurableEngine} engine - on an empty store
 * @property {() => unknown} close - removes the store
 */

/**
 * Each opens an engine, or throws where its driver or server is missing.
 *
 * @param {string} folder - for files
 * @returns {Record<string, (name: string) => OpenedEngine | Promise<OpenedEngine>>}
 */
export function engines(folder) {
  return {
    memory: () => ({ engine: memoryEngine(), close: () => undefined }),
    SQLite: (name) => openSqlite(join(folder, `${name}.db`)),
    'pg-boss': (name) => openPgBoss(`bench_${process.pid}_${name}`),
  };
}

function openSqlite(path) {
  const database = openDatabase(path);
  return { engine: sqliteEngine(database), close: () => database.close() };
}

/** better-sqlite3 where it is installed, else node:sqlite where this Node has it. */
function openDatabase(path) {
  try {
    return new (require('better-sqlite3'))(path);
  } catch {
    return new (process.getBuiltinModule('node:sqlite').DatabaseSync)(path);
  }
}

async function openPgBoss(schema) {
  const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
  await createStore(schema);
  const { PgBoss } = require('pg-boss');
  const boss = new PgBoss({ connectionString, schema, migrate: false, schedule: false });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  await boss.start();
  const pool = new (require('pg').Pool)({ connectionString });
  return {
    engine: pgBossEngine(boss, { pool, schema }),
    close: async () => {
      await boss.stop({ graceful: false });
      await pool.end();
      await dropStore(schema);
    },
  };
}
