/** `JobNotifications`: LISTEN and NOTIFY, by which processes tell each other about new jobs. */

import { notifyAll, type Notifier } from '../queue/notifier.js';
import { startAge, systemTime } from '../../time/sleep.js';
import type { PgClientLike, PgPoolLike, SqlExecutor } from './boss.js';

/** How often to look for jobs while notifications come: they may be lost, and retries become due. */
const listeningPollMs = 3_000;

type ListeningClient = PgClientLike & { release(error?: boolean | Error): void };

export class JobNotifications {
  readonly #pool: PgPoolLike;
  readonly #channel: string;
  readonly #pollMs: number;
  /** The notifiers of the workers of each queue. */
  readonly #notifiers: ReadonlyMap<string, ReadonlySet<Notifier>>;
  #listening: Promise<void> | undefined;
  #client: ListeningClient | undefined;
  #users = 0;
  #sinceFailure = () => Infinity;

  constructor(
    pool: PgPoolLike,
    schema: string,
    pollMs: number,
    notifiers: ReadonlyMap<string, ReadonlySet<Notifier>>,
  ) {
    this.#pool = pool;
    this.#channel = `${schema}_market_job`.toLowerCase();
    this.#pollMs = pollMs;
    this.#notifiers = notifiers;
  }

  /** How long a worker that has nothing to do may wait before it looks again. */
  readonly pollMs = (): number =>
    this.#client === undefined ? this.#pollMs : Math.max(this.#pollMs, listeningPollMs);

  /** Counts the open queues: the connection is released when the last one closes. */
  open(): void {
    this.#users += 1;
  }

  async close(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    await this.#listening;
    this.#end();
  }

  /** Listens on one connection of the pool, unless the pool has only one. After a failure, it pauses before the next try. */
  listen(): void {
    if (this.#listening !== undefined || this.#pool.options?.max === 1) return;
    if (this.#sinceFailure() < listeningPollMs) return;
    this.#listening = this.#connect().catch(() => {
      this.#sinceFailure = startAge(systemTime);
      this.#listening = undefined;
    });
  }

  /** Part of the transaction of `db`, if it has one: others learn about the jobs when they can be claimed. */
  async notify(db: SqlExecutor, queue: string): Promise<void> {
    await db.executeSql('select pg_notify($1, $2)', [this.#channel, queue]);
  }

  async #connect(): Promise<void> {
    const client = await this.#pool.connect();
    client.on?.('error', () => {
      if (client === this.#client) this.#end();
    });
    client.on?.('notification', ({ payload }) => {
      notifyAll(this.#notifiers.get(payload ?? '') ?? []);
    });
    try {
      await client.query(`listen ${this.#channel}`);
      this.#client = client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #end(): void {
    // Destroyed: a connection that listens must not serve others of the pool.
    this.#client?.release(true);
    this.#client = undefined;
    this.#listening = undefined;
  }
}
