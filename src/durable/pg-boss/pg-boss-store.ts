/** `PgBossStore`: a queue of pg-boss as the store that the durable worker runs on. */

import type { EnqueueOptions, QueueSpec } from '../queue/engine.js';
import { checkJobs } from '../queue/check-jobs.js';
import type {
  Checkpoint,
  Job,
  JobListOptions,
  JobPage,
  JobRecord,
  JobResult,
  JobState,
  QueueCounts,
} from '../queue/job.js';
import type { Claim, JobStore } from '../queue/job-store.js';
import { startAge } from '../../core/time/sleep.js';
import { LeaseLostError } from '../errors.js';
import {
  affectedBy,
  type PgBossLike,
  type PgClientLike,
  type PgPoolLike,
  type SqlExecutor,
} from './boss.js';
import { readCheckpoint, warnOfPages, writeCheckpoint } from './checkpoints.js';
import { completeDeadLetter, retryDeadLetter } from './dead-letters.js';
import { moveToDeadLetters, release, type QueueInTransaction } from './end-attempt.js';
import type { JobNotifications } from './job-notifications.js';
import { requireFence, type RequirePlace } from './place.js';
import { RowQueries } from './row-queries.js';
import {
  bossStates,
  toAttempt,
  toClaim,
  toInsert,
  toRecord,
  toSingletonKey,
  uuidOf,
  type FetchedJob,
} from './rows.js';
import { TableStatistics } from './table-statistics.js';
import { inTransaction, requireTransaction, toExecutor } from './transactions.js';

export interface PgBossStoreOptions<Client extends PgClientLike> {
  readonly boss: PgBossLike;
  readonly pool: PgPoolLike<Client>;
  readonly schema: string;
  readonly spec: QueueSpec;
  readonly place: RequirePlace;
  readonly notifications: JobNotifications;
  readonly clock: () => number;
}

/** What an `enqueue` may join: a client of pg, or one of pg-boss's own adapters. */
export type PgBossAddTx<Client extends PgClientLike> = Client | SqlExecutor;

const pruneBatch = 1_000;

/**
 * Another transaction stored some of the jobs first. It may have begun later than this one, whose time
 * would place what is left before them: it is stored in a new one.
 */
class StoredMeanwhile extends Error {}

export class PgBossStore<Client extends PgClientLike> implements JobStore<
  Client,
  PgBossAddTx<Client>
> {
  readonly #boss: PgBossLike;
  readonly #pool: PgPoolLike<Client>;
  readonly #schema: string;
  readonly #spec: QueueSpec;
  readonly #requirePlace: RequirePlace;
  readonly #clock: () => number;
  readonly #rows: RowQueries;
  readonly #notifications: JobNotifications;
  readonly #statistics: TableStatistics;
  #sinceTakeover = () => Infinity;

  /** The time and the id of the page's last row. */
  readonly cursorPattern = /^\d.+ [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  constructor(options: PgBossStoreOptions<Client>) {
    const { boss, pool, schema, spec, place, notifications, clock } = options;
    notifications.open();
    this.#notifications = notifications;
    this.#boss = boss;
    this.#pool = pool;
    this.#schema = schema;
    this.#spec = spec;
    this.#requirePlace = place;
    this.#clock = clock;
    this.#rows = new RowQueries(boss.getDb(), schema, spec.name);
    this.#statistics = new TableStatistics(boss.getDb(), schema);
  }

  async check(): Promise<string | undefined> {
    await inTransaction(this.#pool, async (_client, db) => {
      await this.#requirePlace(db);
      await requireFence(this.#boss, this.#spec.name, db);
    });
    return warnOfPages(this.#boss.getDb(), this.#schema);
  }

  async enqueue(
    jobs: readonly Job[],
    { checkpoint, tx, write }: EnqueueOptions<Client, PgBossAddTx<Client>> = {},
  ): Promise<{ added: readonly string[] }> {
    checkJobs(jobs);
    if (tx !== undefined) {
      await requireTransaction(tx);
      return { added: await this.#insert(distinct(jobs), checkpoint, toExecutor(tx)) };
    }
    const unknown = await this.#unknown(distinct(jobs));
    const isOneStatement = checkpoint === undefined && write === undefined && unknown.length <= 1;
    if (isOneStatement) return { added: await this.#insert(unknown) };
    const added = await inTransaction(this.#pool, async (client, db) => {
      const ids = await this.#insert(unknown, checkpoint, db);
      if (ids.length < unknown.length) throw new StoredMeanwhile();
      if (ids.length > 0) await write?.(client);
      return ids;
    }).catch((error: unknown) => {
      if (error instanceof StoredMeanwhile) return undefined;
      throw error;
    });
    return added === undefined ? this.enqueue(jobs, { checkpoint, write }) : { added };
  }

  /** Polls overlap: most of a page is known, and is not sent again. */
  async #unknown(jobs: readonly Job[]): Promise<Job[]> {
    if (jobs.length === 0) return [];
    const uuid = ({ id }: Job) => uuidOf(this.#spec.name, id);
    const known = await this.#rows.known(jobs.map(uuid));
    return jobs.filter((job) => !known.has(uuid(job)));
  }

  async #insert(
    jobs: readonly Job[],
    checkpoint?: Checkpoint,
    db: SqlExecutor = this.#boss.getDb(),
  ): Promise<string[]> {
    const { name } = this.#spec;
    const inserts = jobs.map((job) => toInsert(this.#spec, job));
    const uuids =
      inserts.length === 0 ? [] : await this.#boss.insert(name, inserts, { returnId: true, db });
    if (uuids?.some((uuid) => typeof uuid !== 'string') === true) {
      throw new TypeError('The rows of "tx" must be objects with the names of the columns.');
    }
    const isAdded = new Set(uuids);
    const added = inserts.filter(({ id }) => isAdded.has(id));
    await this.#rows.keepOrder(added, db);
    if (checkpoint !== undefined) await writeCheckpoint(db, this.#schema, name, checkpoint);
    if (added.length > 0) {
      await this.#notifications.notify(db, name);
      this.#statistics.recordChanges(added.length);
    }
    return added.map(({ data }) => data.id);
  }

  checkpoint(): Promise<Checkpoint | undefined> {
    return readCheckpoint(this.#boss.getDb(), this.#schema, this.#spec.name);
  }

  async claim(limit: number): Promise<Claim[]> {
    this.#notifications.listen();
    await this.#takeOver();
    const options = { batchSize: limit, includeMetadata: true } as const;
    const fetched = (await this.#boss.fetch(this.#spec.name, options)) as readonly FetchedJob[];
    const claims = fetched.map(toClaim);
    if (claims.every(({ enqueuedAt }) => !Number.isNaN(enqueuedAt.getTime()))) return claims;
    // The client read no time: the DateStyle of the database is one that its parser does not know.
    const rows = await this.#rows.find(fetched.map(({ id }) => id));
    const times = new Map(rows.map((row) => [row.data.id, new Date(row.created_ms)]));
    return claims.map((claim) => ({
      ...claim,
      enqueuedAt: times.get(claim.id) ?? claim.enqueuedAt,
    }));
  }

  /**
   * pg-boss itself looks for dead workers once a minute; a third of a lease is soon enough here. Rows that
   * a transaction holds are passed over: the commit of a live worker, which may be waiting for something
   * else, must not stop every other claim.
   */
  async #takeOver(): Promise<void> {
    if (this.#sinceTakeover() < this.#spec.leaseMs / 3) return;
    this.#sinceTakeover = startAge({ clock: this.#clock });
    if ((await this.#rows.expired()).length === 0) return;
    await inTransaction(this.#pool, async (_client, db) => {
      for (const attempt of await this.#rows.lockExpired(db)) {
        await this.#boss.fail(this.#spec.name, attempt, { error: 'The lease ran out.' }, { db });
      }
    });
  }

  /** A row that a transaction holds, such as our own commit, is not waited for: it cannot be taken over. */
  async renew(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const attempts = tokens.map(toAttempt);
    return inTransaction(this.#pool, async (_client, db) => {
      const free = await this.#rows.lockRunning(attempts, db);
      if (free.length > 0) await this.#boss.touch(this.#spec.name, free, { db });
      const running = await this.#rows.running(attempts, db);
      return new Set(running.map(({ id, retryCount }) => `${id}:${retryCount}`));
    });
  }

  async finish(claim: Claim, result: JobResult): Promise<boolean> {
    if ('done' in result) {
      const { done: output, outcome } = result;
      this.#statistics.recordChanges(1);
      // A job without an output keeps its body, and needs no transaction.
      if (output === undefined) return this.#complete(claim, { outcome });
      return this.#change(({ db }) => this.#complete(claim, { output, outcome }, db));
    }
    return this.#change((queue) =>
      'deadLetter' in result
        ? moveToDeadLetters(queue, claim, result.deadLetter)
        : release(queue, claim, result, this.#clock()),
    );
  }

  async #complete(
    { token }: Claim,
    result: { readonly output?: string | undefined; readonly outcome?: string | undefined },
    db: SqlExecutor = this.#boss.getDb(),
  ): Promise<boolean> {
    const attempt = toAttempt(token);
    const done = await this.#boss.complete(this.#spec.name, attempt, result, { db });
    if (affectedBy(done) !== 1) return false;
    if (result.output !== undefined) await this.#rows.forgetBody(attempt.id, db);
    return true;
  }

  #change<T>(change: (queue: QueueInTransaction) => Promise<T>): Promise<T> {
    const queue = { boss: this.#boss, spec: this.#spec };
    return inTransaction(this.#pool, (_client, db) => change({ ...queue, db }));
  }

  async commit(
    claim: Claim,
    write: (tx: Client) => unknown,
    output: string | undefined,
  ): Promise<void> {
    await inTransaction(this.#pool, async (client, db) => {
      // First: it locks the row, so that no other worker can take the job over meanwhile.
      if (!(await this.#complete(claim, { output }, db))) throw new LeaseLostError(claim.id);
      await write(client);
    });
  }

  async find(
    ids: readonly string[],
    tx?: PgBossAddTx<Client>,
  ): Promise<ReadonlyMap<string, JobRecord>> {
    const uuids = ids.map((id) => uuidOf(this.#spec.name, id));
    const rows = await this.#rows.find(uuids, tx === undefined ? undefined : toExecutor(tx));
    return new Map(rows.map((row) => [row.data.id, toRecord(row)]));
  }

  async list(
    state: JobState | 'open',
    { limit, cursor, outcome, orderingKey }: JobListOptions,
  ): Promise<JobPage> {
    // One more than asked for says whether there is another page.
    const singletonKey = orderingKey === undefined ? undefined : toSingletonKey(orderingKey);
    const selection = {
      states: bossStates[state],
      limit: limit + 1,
      cursor,
      outcome,
      singletonKey,
    };
    const rows = await this.#rows.list(selection);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = rows.length > limit && last ? `${last.created_text} ${last.id}` : null;
    return { items: page.map(toRecord), nextCursor };
  }

  counts(): Promise<QueueCounts> {
    return this.#rows.counts();
  }

  retry(id: string): Promise<boolean> {
    return this.#change((queue) => retryDeadLetter(queue, this.#rows, id));
  }

  complete(id: string, output: string, outcome?: string): Promise<boolean> {
    const result = { output, outcome };
    return this.#change((queue) => completeDeadLetter(queue, this.#rows, id, result));
  }

  async prune(doneBefore: Date): Promise<number> {
    for (let pruned = 0; ;) {
      const ids = await this.#rows.doneBefore(doneBefore, pruneBatch);
      if (ids.length > 0) await this.#boss.deleteJob(this.#spec.name, ids);
      pruned += ids.length;
      if (ids.length < pruneBatch) return pruned;
    }
  }

  async nextDueAt(): Promise<number | undefined> {
    const ms = await this.#rows.msUntilRetry();
    return ms === undefined ? undefined : this.#clock() + ms;
  }

  /** The boss and the pool are the partner's, who closes them. */
  close(): Promise<void> {
    return this.#notifications.close();
  }
}

/** Without repeats of an id, which pg-boss refuses. */
function distinct(jobs: readonly Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({ id }) => !seen.has(id) && seen.add(id));
}
