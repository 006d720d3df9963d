/** `JobNotifications`: LISTEN and NOTIFY, by which processes tell each other about new jobs. */

import { randomUUID } from 'node:crypto';
import { notifyAll, type Notifier } from '../queue/notifier.js';
import { startAge, systemTime } from '../../core/time/sleep.js';
import type { BossDatabase, ListenHandle, SqlExecutor } from './boss.js';

/** How often to look for jobs while notifications come: they may be lost, and retries become due. */
const listeningPollMs = 3_000;

/** How long to wait for the probe. pg-boss looks after ten seconds whether its LISTEN still holds. */
const probeMs = 3_000;

/** The pause before the next try, while workers look on their own. */
const retryMs = 60_000;

export class JobNotifications {
  readonly #database: () => BossDatabase;
  readonly #channel: string;
  readonly #pollMs: number;
  /** The notifiers of the workers of each queue. */
  readonly #notifiers: ReadonlyMap<string, ReadonlySet<Notifier>>;
  /**
   * What this process sends to itself: the name of no queue. Behind a pooler LISTEN succeeds and nothing comes,
   * but for what others send in the moment that a connection is lent to this one: only the own probe shows that
   * it works.
   */
  readonly #probe = randomUUID();
  #listening: Promise<ListenHandle | undefined> | undefined;
  #isHeard = false;
  #users = 0;
  #sinceProbe = () => 0;
  #sinceEnd = () => Infinity;

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

  /** Listens on a connection of pg-boss's own, if it has one and notifications come there. */
  listen(): void {
    const database = this.#database();
    if (this.#listening !== undefined) {
      // Behind a pooler, pg-boss would report the LISTEN as lost every few seconds.
      if (!this.#isHeard && this.#sinceProbe() > probeMs) this.#endListening();
      return;
    }
    if (database.listen === undefined || this.#sinceEnd() < retryMs) return;
    const onNotification = (payload: string) => {
      if (payload === this.#probe) this.#isHeard = true;
      notifyAll(this.#notifiers.get(payload) ?? []);
    };
    const onReconnect = () => {
      this.#isHeard = false;
      this.#sinceProbe = startAge(systemTime);
      // What was sent meanwhile is lost.
      for (const ofQueue of this.#notifiers.values()) notifyAll(ofQueue);
      void this.notify(database, this.#probe).catch(() => undefined);
    };
    this.#sinceProbe = () => 0;
    this.#listening = database.listen(this.#channel, onNotification, onReconnect).catch(() => {
      this.#endListening();
      return undefined;
    });
  }

  #endListening(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    this.#sinceEnd = startAge(systemTime);
    void listening?.then((handle) => handle?.close());
  }

  /** Part of the transaction of `db`, if it has one: others learn about the jobs when they can be claimed. */
  async notify(db: SqlExecutor, queue: string): Promise<void> {
    // pg_notify() returns "void", which some clients cannot read.
    await db.executeSql('select 1 as sent from pg_notify($1, $2)', [this.#channel, queue]);
  }
}
