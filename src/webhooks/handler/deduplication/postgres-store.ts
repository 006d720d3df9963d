/** postgresStore: a deduplication store that several processes share, in one PostgreSQL table. */

import type { DeduplicationStore } from './store.js';

const dayMs = 24 * 60 * 60 * 1000;
const pruneEveryMs = 60 * 60 * 1000;

/** One or two names, so that nothing else can get into a statement. */
const tablePattern = /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/;

/** The part of a pool or client of pg that is used. */
export interface PgPoolLike {
  query(
    text: string,
    values?: (string | number)[],
  ): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** The options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** The table's name in lower case, with or without a schema. Default: `market_webhook_events`. */
  readonly table?: string | undefined;
  /** How long an event is remembered as done, in milliseconds. Default: 30 days. */
  readonly keepMs?: number | undefined;
  /** Whether the table is created at the first use. Default: true. */
  readonly createTable?: boolean | undefined;
}

/**
 * A deduplication store in PostgreSQL, for `deduplicate`: several processes that get copies of an
 * event at the same time run its listener once. It uses your pool of pg, and one row for each event:
 * `id text primary key, done_at timestamptz, claimed_by text, claimed_until timestamptz`.
 *
 * @throws {@link TypeError} or {@link RangeError} when the pool has no `query`, or an option is wrong
 * @example
 * ```ts
 * import { createWebhookHandler, postgresStore, type PgPoolLike } from 'market-partner-sdk/webhooks';
 *
 * // The pool is new pg.Pool({ connectionString }).
 * export const createHandler = (pool: PgPoolLike) =>
 *   createWebhookHandler({ secret: 'whsec_public', deduplicate: postgresStore(pool) });
 * ```
 */
export function postgresStore(
  pool: PgPoolLike,
  options: PostgresStoreOptions = {},
): Required<DeduplicationStore> {
  const { table = 'market_webhook_events', keepMs = 30 * dayMs, createTable = true } = options;
  if (typeof (pool as Partial<PgPoolLike> | undefined)?.query !== 'function') {
    throw new TypeError('postgresStore takes a pool of pg: it has no query().');
  }
  if (typeof table !== 'string' || !tablePattern.test(table)) {
    throw new TypeError('"table" must be a name in lower case, or a schema and a name.');
  }
  if (!Number.isSafeInteger(keepMs) || keepMs < 1) {
    throw new RangeError('"keepMs" must be a positive integer.');
  }
  return new PostgresStore(pool, table, keepMs, createTable);
}

class PostgresStore implements Required<DeduplicationStore> {
  readonly #pool: PgPoolLike;
  readonly #table: string;
  readonly #keepMs: number;
  /** Tells the claims of this process from those of others. */
  readonly #owner = globalThis.crypto.randomUUID();
  #tableReady: Promise<unknown> | undefined;
  #nextPruneMs = 0;

  constructor(pool: PgPoolLike, table: string, keepMs: number, createTable: boolean) {
    this.#pool = pool;
    this.#table = table;
    this.#keepMs = keepMs;
    if (!createTable) this.#tableReady = Promise.resolve();
  }

  async claim(eventId: string, ttlMs: number): Promise<'claimed' | 'done' | 'busy'> {
    // The update waits for a concurrent claim's row, and then sees that it is taken.
    const [claimed] = await this.#query(
      `insert into ${this.#table} as event (id, claimed_by, claimed_until)
       values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
       on conflict (id) do update
         set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
         where event.done_at is null and event.claimed_until <= clock_timestamp()
       returning id`,
      [eventId, this.#owner, ttlMs],
    );
    if (claimed !== undefined) return 'claimed';
    return (await this.has(eventId)) ? 'done' : 'busy';
  }

  async has(eventId: string): Promise<boolean> {
    const [row] = await this.#query(
      `select 1 from ${this.#table} where id = $1 and done_at is not null`,
      [eventId],
    );
    return row !== undefined;
  }

  async add(eventId: string): Promise<void> {
    await this.#query(
      `insert into ${this.#table} (id, done_at) values ($1, clock_timestamp())
       on conflict (id) do update set done_at = clock_timestamp()`,
      [eventId],
    );
    await this.#prune();
  }

  async release(eventId: string): Promise<void> {
    await this.#query(
      `delete from ${this.#table} where id = $1 and claimed_by = $2 and done_at is null`,
      [eventId, this.#owner],
    );
  }

  /** Forgets old events, once an hour at most. */
  async #prune(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs < this.#nextPruneMs) return;
    this.#nextPruneMs = nowMs + pruneEveryMs;
    await this.#query(
      `delete from ${this.#table}
       where coalesce(done_at, claimed_until) < clock_timestamp() - $1 * interval '1 millisecond'`,
      [this.#keepMs],
    );
  }

  async #query(text: string, values: (string | number)[]): Promise<readonly unknown[]> {
    this.#tableReady ??= this.#createTable();
    await this.#tableReady;
    return (await this.#pool.query(text, values)).rows;
  }

  async #createTable(): Promise<void> {
    try {
      // "if not exists" can fail when two processes create the table at once, so they take turns.
      await this.#pool.query(
        `select pg_advisory_xact_lock(hashtext('${this.#table}'));
         create table if not exists ${this.#table} (
           id text primary key, done_at timestamptz, claimed_by text, claimed_until timestamptz
         )`,
      );
    } catch (error) {
      // The next call tries again: the database may be back by then.
      this.#tableReady = undefined;
      throw error;
    }
  }
}
