/** `TableStatistics`: has PostgreSQL look at a table that grew, before autovacuum does. */

import type { SqlExecutor } from './boss.js';

const firstAnalyzeAt = 500;

/**
 * Until autovacuum has seen a new table, after a minute or more, PostgreSQL plans every claim for an empty
 * one: a first backlog of thousands then runs at 30 jobs a second instead of hundreds.
 */
export class TableStatistics {
  readonly #db: SqlExecutor;
  readonly #table: string;
  #inserted = 0;
  #nextAnalyzeAt = firstAnalyzeAt;

  constructor(db: SqlExecutor, schema: string) {
    this.#db = db;
    this.#table = `${schema}.job`;
  }

  /** Analyzes in the background whenever this process has doubled what it inserted. */
  recordInserts(count: number): void {
    this.#inserted += count;
    if (this.#inserted < this.#nextAnalyzeAt) return;
    this.#nextAnalyzeAt = 2 * this.#inserted;
    // Only plans depend on it; a role that does not own the table gets a warning of PostgreSQL.
    void this.#db.executeSql(`analyze ${this.#table}`).catch(() => undefined);
  }
}
