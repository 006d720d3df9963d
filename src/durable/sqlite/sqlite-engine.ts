/** `sqliteEngine`: one machine, any number of its processes. */

import { readFileSync, realpathSync } from 'node:fs';
import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import {
  boolean,
  hasMethod,
  lazily,
  must,
  strict,
  wholeNumber,
  withDefault,
  type Fields,
} from '../../core/schema/options.js';
import type { DurableEngine, QueueEngine, QueueSpec } from '../queue/engine.js';
import type { Notifier } from '../queue/notifier.js';
import { resolveTime, type Time, type TimeOptions } from '../../core/time/sleep.js';
import { createQueue } from '../queue/worker.js';
import { checkDurableOptions, timeFields } from '../options.js';
import {
  checkRows,
  configure,
  fileCheck,
  fileOf,
  openPath,
  prepare,
  resolvePath,
  withBusyTimeout,
  withPath,
  type SqliteDatabase,
  type SqliteHandle,
} from './database.js';
import { checkVersion, migrate } from './schema.js';
import { SqliteStore } from './sqlite-store.js';
import { Transactions } from './transactions.js';

/** The options of `sqliteEngine`. */
export interface SqliteEngineOptions extends TimeOptions {
  /** Whether missing tables are created. Default: `true`; with `false`, run `sqliteSchema` first. */
  readonly migrate?: boolean | undefined;
  /** How often to look for jobs of other processes, in milliseconds. Default: 250. */
  readonly pollMs?: number | undefined;
}

const optionsSchema = lazily(() =>
  strict({
    migrate: withDefault(boolean(), true),
    pollMs: withDefault(wholeNumber(1), 250),
    ...timeFields(),
  } satisfies Fields<SqliteEngineOptions>),
);

const databaseSchema = lazily(() => {
  const rule = 'must be a path, a DatabaseSync of node:sqlite or a Database of better-sqlite3';
  const isOpen = (value: unknown) => hasMethod(value, 'exec') && hasMethod(value, 'prepare');
  return z.union([z.string(), must<SqliteDatabase>(rule, isOpen)], ruled(rule));
});

/**
 * Keeps jobs in a SQLite file: one machine, any number of its processes, a local disk. What is
 * stored survives a power loss (WAL with `synchronous = full`, which is set on the database).
 *
 * @param database - a path or `sqlite:market.db`, resolved once and opened with node:sqlite (Node 22.13 and later); or a `DatabaseSync` or
 * your own better-sqlite3 `Database`. Pass your own if the same process writes to the file
 * itself: it is `tx`, and writes of this engine wait for your transactions to end.
 * @throws {@link DurableConfigurationError} when node:sqlite is missing, the database is in memory, or an
 * option is wrong.
 *
 * @example
 * ```ts
 * import { sqliteEngine } from 'market-partner-sdk/durable';
 *
 * const engine = sqliteEngine('market.db');
 * ```
 */
export function sqliteEngine(
  database: string | SqliteHandle,
  options: SqliteEngineOptions = {},
): DurableEngine<SqliteDatabase, SqliteHandle> {
  const given = checkDurableOptions(databaseSchema, database, 'database');
  const { migrate: migrates, pollMs, ...checked } = checkDurableOptions(optionsSchema, options);
  const time = resolveTime(checked);
  const notifiers = new Map<string, Set<Notifier>>();
  const source = typeof given === 'string' ? resolvePath(given) : given;
  const connection = new SharedConnection(source, migrates, time);
  // Fails early, and creates tables now: the first `add` may come inside a transaction.
  connection.acquire();
  connection.release();
  const openSync = (spec: QueueSpec) => {
    const release = () => connection.release();
    const store = new SqliteStore(connection.acquire(), spec, time.clock, release);
    const ofQueue = notifiers.get(spec.name) ?? new Set();
    notifiers.set(spec.name, ofQueue);
    const settings = { time, leaseMs: spec.leaseMs, pollMs: () => pollMs };
    const check = () => Promise.resolve(connection.takeWarning());
    return { ...createQueue(store, settings, ofQueue), check };
  };
  const engine: QueueEngine<SqliteDatabase, SqliteHandle> = {
    name: 'sqlite',
    open: (spec) => new Promise((resolve) => resolve(openSync(spec))),
    openSync,
    listQueues: () => new Promise((resolve) => resolve(connection.listQueues())),
  };
  return engine;
}

/** One step of the index for each queue, no matter how many jobs it has. */
const queueList = `
  with recursive found (queue) as (
    select min(queue) from market_job
    union all
    select (select min(queue) from market_job where market_job.queue > found.queue)
    from found where found.queue is not null
  )
  select queue from found where queue is not null union select queue from market_checkpoint`;

const openTimeoutMs = 5_000;

/** One connection for all queues of an engine: opened by the first, closed after the last. */
class SharedConnection {
  readonly #database: string | SqliteDatabase;
  readonly #migrate: boolean;
  readonly #time: Time;
  #opened: { database: SqliteDatabase; transactions: Transactions } | undefined;
  #users = 0;
  #hasWarned = false;

  constructor(database: string | SqliteDatabase, migrates: boolean, time: Time) {
    this.#database = database;
    this.#migrate = migrates;
    this.#time = time;
  }

  acquire(): { database: SqliteDatabase; transactions: Transactions } {
    this.#opened ??= this.#open();
    this.#users += 1;
    return this.#opened;
  }

  listQueues(): string[] {
    const { database } = this.acquire();
    try {
      return (prepare(database, queueList).all() as { queue: string }[]).map(({ queue }) => queue);
    } finally {
      this.release();
    }
  }

  /** Once: an outbox has two queues, and an inbox may have a third. */
  takeWarning(): string | undefined {
    if (this.#hasWarned || this.#opened === undefined) return undefined;
    this.#hasWarned = true;
    return warnOfMount(fileOf(this.#opened.database));
  }

  release(): void {
    this.#users -= 1;
    // The caller's own database stays open.
    if (this.#users > 0 || typeof this.#database !== 'string') return;
    this.#opened?.database.close();
    this.#opened = undefined;
  }

  #open(): { database: SqliteDatabase; transactions: Transactions } {
    const isPath = typeof this.#database === 'string';
    const database = isPath ? openPath(this.#database) : this.#database;
    try {
      // Other processes that start at the same time need as little time, so the event loop may wait here.
      checkRows(database);
      withBusyTimeout(database, openTimeoutMs, () => {
        // Before anything is changed: it may be the file of another program.
        if (!this.#migrate) checkVersion(database);
        configure(database);
        if (this.#migrate) migrate(database);
      });
    } catch (error) {
      if (!isPath) throw error;
      database.close();
      throw withPath(this.#database, error);
    }
    return {
      database,
      transactions: new Transactions(database, this.#time, fileCheck(fileOf(database))),
    };
  }
}

/**
 * A database that is mounted as a single file loses what SQLite keeps beside it.
 *
 * @returns A warning, if the file is the root of a mount, as with `docker run -v market.db:/data/market.db`.
 */
function warnOfMount(file: string): string | undefined {
  try {
    const path = realpathSync(file);
    // Only Linux has it. The device of the file would not do: overlayfs gives files another one than folders.
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    if (!mounts.some((line) => line.split(' ')[4] === escaped(path))) return undefined;
  } catch {
    return undefined;
  }
  return (
    `${file} is mounted as a single file. SQLite keeps the latest commits in ${file}-wal, beside the mount: ` +
    'if the container is removed, they are lost. Mount the folder.'
  );
}

/** As the kernel writes paths there. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (it) => `\\${it.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
