/** `TableStatistics`: has PostgreSQL analyze a table that grew, before autovacuum does. */

import { readRows, type SqlExecutor } from './boss.js';

const firstLookAt = 500;

/** Above this, a vacuum would take seconds from the workers, and autovacuum knows the table. */
const newTableRows = 20_000;

/** By what factor the number of changes must grow before the next run; a run on a large table takes most of a second. */
const growth = { newTable: 2, largeTable: 8 };

/** What the statements choose by. The bodies of a million jobs would take four times as long. */
const columns = 'name, state, policy, singleton_key, start_after, created_on';

/**
 * Until autovacuum has seen a new table, after a minute or more, PostgreSQL plans every claim for an empty
 * one: it reads and sorts all that waits. Counts are what it needs to choose pg-boss's index; the vacuum lets
 * it trust that index without reading each row.
 */
export class TableStatistics {
  readonly #db: SqlExecutor;
  readonly #schema: string;
  #changes = 0;
  #nextLookAt = firstLookAt;

  constructor(db: SqlExecutor, schema: string) {
    this.#db = db;
    this.#schema = schema;
  }

  /** Analyzes in the background, one run at a time, whenever this process has stored and ended many more jobs. */
  recordChanges(count: number): void {
    this.#changes += count;
    if (this.#changes < this.#nextLookAt) return;
    this.#nextLookAt = Infinity;
    // Only plans depend on it; a role that does not own the table gets a warning of PostgreSQL.
    void this.#look().catch(() => undefined);
  }

  async #look(): Promise<void> {
    const changes = this.#changes;
    let factor = growth.newTable;
    try {
      const [counted] = await readRows<{ known: number | null }>(
        this.#db,
        `select sum(greatest(reltuples, 0))::float8 as known from pg_class
         join pg_inherits on inhrelid = oid where inhparent = $1::regclass`,
        [`${this.#schema}.job`],
      );
      const isNew = (counted?.known ?? 0) <= newTableRows;
      if (!isNew) factor = growth.largeTable;
      const look = isNew ? 'vacuum (analyze, skip_locked)' : 'analyze (skip_locked)';
      await this.#db.executeSql(`${look} ${this.#schema}.job (${columns})`);
    } finally {
      this.#nextLookAt = factor * changes;
    }
  }
}
