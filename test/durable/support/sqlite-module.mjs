/** The engine module of the crash tests: better-sqlite3 where it is installed, else node:sqlite. */

import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sqliteEngine } from 'market-partner-sdk/durable';

const require = createRequire(new URL('../servers/package.json', import.meta.url));
const table = 'create table if not exists effect (id text not null)';

/** The store of this process: `writeOutside` gets none. */
let opened;

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

export default (store, { clock, fault } = {}) => {
  opened = open(store);
  const database = fault === 'blocksOnLock' ? blockingOnLock(opened) : opened;
  return sqliteEngine(database, { pollMs: 20, clock });
};

/** A file has one machine, and one transaction that writes. */
export const hasOneClock = true;
export const lockStopsStore = true;

export const writeEffect = (tx, id) => tx.prepare('insert into effect values (?)').run(id);

export const writeOutside = (id) => writeEffect(opened, id);

export function readEffects(store) {
  const database = open(store);
  const ids = database.prepare('select id from effect').all();
  database.close();
  return ids.map(({ id }) => id);
}

export async function holdLock(store, work) {
  const database = open(store);
  database.exec('begin exclusive');
  await work();
  database.exec('rollback');
  database.close();
}

export function emptyStore(store) {
  for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
}

/** The planted fault: SQLite itself waits for a lock, and the event loop with it. */
function blockingOnLock(database) {
  return new Proxy(database, {
    get(target, name) {
      const value = target[name];
      if (name === 'exec')
        return (sql) => target.exec(sql.replace('busy_timeout = 0', 'busy_timeout = 5000'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
