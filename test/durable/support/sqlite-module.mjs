/** The engine module of the crash tests: better-sqlite3 where it is installed, else node:sqlite. */

import { createRequire } from 'node:module';
import { sqliteEngine } from 'market-partner-sdk/durable';

const require = createRequire(new URL('../servers/package.json', import.meta.url));
const table = 'create table if not exists effect (id text not null)';

function open(store) {
  let database;
  try {
    database = new (require('better-sqlite3'))(store);
  } catch {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    database = new DatabaseSync(store);
  }
  database.exec('pragma busy_timeout = 5000');
  database.exec(table);
  return database;
}

export default (store) => sqliteEngine(open(store), { pollMs: 20 });

export const writeEffect = (tx, id) => tx.prepare('insert into effect values (?)').run(id);

export function readEffects(store) {
  const database = open(store);
  const ids = database.prepare('select id from effect').all();
  database.close();
  return ids.map(({ id }) => id);
}
