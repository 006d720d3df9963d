/** `Completions`: jobs that end in the same turn are completed by one statement of pg-boss. */

import { affectedBy, type BossAttempt, type PgBossLike } from './boss.js';
import type { RowQueries } from './row-queries.js';

/** What pg-boss stores as the output of a job that is done. */
interface DoneOutput {
  readonly output: string | undefined;
  readonly outcome?: string | undefined;
}

interface Waiting {
  readonly attempt: BossAttempt;
  readonly output: DoneOutput;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class Completions {
  readonly #boss: PgBossLike;
  readonly #queue: string;
  readonly #rows: RowQueries;
  #waiting: Waiting[] = [];

  constructor(boss: PgBossLike, queue: string, rows: RowQueries) {
    this.#boss = boss;
    this.#queue = queue;
    this.#rows = rows;
  }

  /** `false` if the claim has lost its lease. */
  complete(attempt: BossAttempt, output: DoneOutput): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ attempt, output, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#completeTurn());
    });
  }

  #completeTurn(): void {
    // A statement of pg-boss has one output for all of its jobs. For most events it is empty.
    const batches = new Map<string, Waiting[]>();
    for (const each of this.#waiting) {
      const key = JSON.stringify(each.output);
      batches.set(key, [...(batches.get(key) ?? []), each]);
    }
    this.#waiting = [];
    for (const batch of batches.values()) void this.#completeBatch(batch);
  }

  async #completeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const isDone = await this.#completed(batch);
      for (const { attempt, resolve } of batch) resolve(isDone(attempt));
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      // A failure of one of them, such as a lock, must not fail the others.
      else for (const each of batch) void this.#completeBatch([each]);
    }
  }

  async #completed(batch: readonly Waiting[]): Promise<(attempt: BossAttempt) => boolean> {
    const attempts = batch.map(({ attempt }) => attempt);
    const [first] = batch;
    const response = await this.#boss.complete(this.#queue, attempts, { ...first?.output });
    if (affectedBy(response) === attempts.length) return () => true;
    const rows = await this.#rows.find(attempts.map(({ id }) => id));
    const done = rows.filter(({ state }) => state === 'completed');
    const isOurs = new Set(done.map(({ id, retry_count }) => `${id}:${retry_count}`));
    return ({ id, retryCount }) => isOurs.has(`${id}:${retryCount}`);
  }
}
