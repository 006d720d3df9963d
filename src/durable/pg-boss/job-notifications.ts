/** `JobNotifications`: LISTEN and NOTIFY, by which processes tell each other about new jobs. */

import { notifyAll, type Notifier } from '../queue/notifier.js';
import { startAge, systemTime } from '../../time/sleep.js';
import type { BossDatabase, ListenHandle, SqlExecutor } from './boss.js';

/** How often to look for jobs while notifications come: they may be lost, and retries become due. */
const listeningPollMs = 3_000;

/** What the engine sends to itself: the name of no queue. */
const probe = '';

export class JobNotifications {
  readonly #database: () => BossDatabase;
  readonly #channel: string;
  readonly #pollMs: number;
  /** The notifiers of the workers of each queue. */
  readonly #notifiers: ReadonlyMap<string, ReadonlySet<Notifier>>;
  #listening: Promise<ListenHandle | undefined> | undefined;
  /** Behind a pooler LISTEN succeeds and nothing comes: only what came shows that it works. */
  #isHeard = false;
  #users = 0;
  #sinceFailure = () => Infinity;

  constructor(
    database: () => BossDatabase,
    schema: string,
    pollMs: number,
    notifiers: ReadonlyMap<string, ReadonlySet<Notifier>>,
  ) {
    this.#database = database;
    this.#channel = `${schema}_market_job`.toLowerCase();
    this.#pollMs = pollMs;
    this.#notifiers = notifiers;
  }

  /** How long a worker that has nothing to do may wait before it looks again. */
  readonly pollMs = (): number =>
    this.#isHeard ? Math.max(this.#pollMs, listeningPollMs) : this.#pollMs;

  /** Counts the open queues: the connection is closed with the last one. */
  open(): void {
    this.#users += 1;
  }

  async close(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    const handle = await this.#listening;
    this.#listening = undefined;
    this.#isHeard = false;
    await handle?.close();
  }

  /** Listens on a connection of pg-boss's own, if it has one. After a failure, it pauses before the next try. */
  listen(): void {
    const database = this.#database();
    if (this.#listening !== undefined || database.listen === undefined) return;
    if (this.#sinceFailure() < listeningPollMs) return;
    const onNotification = (queue: string) => {
      this.#isHeard = true;
      notifyAll(this.#notifiers.get(queue) ?? []);
    };
    const onReconnect = () => {
      this.#isHeard = false;
      // What was sent meanwhile is lost.
      for (const ofQueue of this.#notifiers.values()) notifyAll(ofQueue);
      void this.notify(database, probe).catch(() => undefined);
    };
    this.#listening = database.listen(this.#channel, onNotification, onReconnect).catch(() => {
      this.#sinceFailure = startAge(systemTime);
      this.#listening = undefined;
      return undefined;
    });
  }

  /** Part of the transaction of `db`, if it has one: others learn about the jobs when they can be claimed. */
  async notify(db: SqlExecutor, queue: string): Promise<void> {
    // pg_notify() returns "void", which some clients cannot read.
    await db.executeSql('select 1 as sent from pg_notify($1, $2)', [this.#channel, queue]);
  }
}
