/** `DeadLetters`: what an operator does with a dead letter of a queue. */

import type { QueueSpec } from '../queue/engine.js';
import {
  affectedBy,
  type PgBossLike,
  type PgClientLike,
  type PgPoolLike,
  type SqlExecutor,
} from './boss.js';
import type { RowQueries } from './row-queries.js';
import { keepDoneSeconds, unlimitedRetries, uuidOf, type Row } from './rows.js';
import { inTransaction } from './transactions.js';

interface Place<Client extends PgClientLike> {
  readonly boss: PgBossLike;
  readonly pool: PgPoolLike<Client>;
  readonly spec: QueueSpec;
  readonly rows: RowQueries;
}

/** Each call resolves with `false` if the job is no longer a dead letter. */
export class DeadLetters<Client extends PgClientLike> {
  readonly #place: Place<Client>;

  constructor(place: Place<Client>) {
    this.#place = place;
  }

  retry(id: string): Promise<boolean> {
    const { boss, spec } = this.#place;
    return this.#requeue(id, async ({ id: uuid, data, retry_count }, db) => {
      await boss.update(
        spec.name,
        { ...data, claimsBefore: retry_count + 1, failingSince: undefined },
        { id: uuid, retryLimit: unlimitedRetries, startAfter: '0 seconds', db },
      );
    });
  }

  complete(
    id: string,
    result: { readonly output: string; readonly outcome: string | undefined },
  ): Promise<boolean> {
    const { boss, spec } = this.#place;
    return this.#requeue(id, async ({ id: uuid }, db) => {
      const deleteAfterSeconds = keepDoneSeconds(spec);
      await boss.update(spec.name, undefined, { id: uuid, deleteAfterSeconds, db });
      await boss.complete(spec.name, uuid, result, { includeQueued: true, db });
    });
  }

  /** Makes it wait, and changes it, in one transaction. */
  #requeue(id: string, change: (row: Row, db: SqlExecutor) => Promise<void>): Promise<boolean> {
    const { boss, pool, spec, rows } = this.#place;
    return inTransaction(pool, async (_client, db) => {
      const [row] = await rows.find([uuidOf(spec.name, id)], db);
      if (row?.state !== 'failed') return false;
      // Another process may have been faster.
      if (affectedBy(await boss.retry(spec.name, row.id, { db })) !== 1) return false;
      await change(row, db);
      return true;
    });
  }
}
