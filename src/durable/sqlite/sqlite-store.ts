/** `SqliteStore`: the jobs of one queue in two tables. */

import { randomUUID } from 'node:crypto';
import { isAsyncFunction, isGeneratorFunction, isPromise } from 'node:util/types';
import { LeaseLostError } from '../errors.js';
import { checkJobs, noOpenTransaction } from '../queue/check-jobs.js';
import type { EnqueueOptions, QueueSpec } from '../queue/engine.js';
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
import type { Time } from '../../core/time/sleep.js';
import type { SqliteDatabase } from './database.js';
import { seqOf, toClaim, toRecord, type Row } from './rows.js';
import { stateCodes } from './schema.js';
import { prepareStatements, type Statements } from './statements.js';
import { isInTransaction, type Transactions } from './transactions.js';

interface CountsRow extends Record<'waiting' | 'running' | 'dead' | 'is_worked_on', number> {
  readonly due_at: number | null;
}

const rebaseEveryMs = 10_000;

export class SqliteStore implements JobStore<SqliteDatabase> {
  readonly #database: SqliteDatabase;
  readonly #transactions: Transactions;
  readonly #spec: QueueSpec;
  readonly #clock: Time['clock'];
  readonly #sql: Statements;
  readonly #release: () => void;
  #latestAt = -Infinity;
  #rebasedAt = -Infinity;

  /** The number of the page's last row. */
  readonly cursorPattern = /^\d{1,15}$/;

  constructor(
    connection: { readonly database: SqliteDatabase; readonly transactions: Transactions },
    spec: QueueSpec,
    clock: Time['clock'],
    release: () => void,
  ) {
    this.#database = connection.database;
    this.#transactions = connection.transactions;
    this.#spec = spec;
    this.#clock = clock;
    this.#sql = prepareStatements(connection.database);
    this.#release = release;
  }

  async enqueue(
    jobs: readonly Job[],
    options: EnqueueOptions<SqliteDatabase, SqliteDatabase> = {},
  ): Promise<{ added: string[] }> {
    const { checkpoint, tx, write } = options;
    if (tx !== undefined) return this.enqueueSync(jobs, tx);
    checkJobs(jobs);
    if (write === undefined) return this.#transactions.run(() => this.#store(jobs, checkpoint));
    return this.#transactions.runAlone(() => {
      const added = this.#store(jobs, checkpoint);
      if (added.added.length > 0) this.#callWrite(write, 'write');
      return added;
    });
  }

  enqueueSync(jobs: readonly Job[], tx: SqliteDatabase): { added: string[] } {
    checkJobs(jobs);
    if (tx !== this.#database) {
      throw new TypeError('"tx" must be the database that sqliteEngine received.');
    }
    if (!isInTransaction(tx)) throw new TypeError(noOpenTransaction);
    this.#transactions.requireFile();
    return this.#store(jobs);
  }

  #store(jobs: readonly Job[], checkpoint?: Checkpoint): { added: string[] } {
    const added = jobs.filter((job) => this.#insert(job)).map(({ id }) => id);
    if (checkpoint !== undefined) {
      this.#sql.writeCheckpoint.run(this.#spec.name, JSON.stringify(checkpoint));
    }
    return { added };
  }

  #insert({ id, orderingKey, body, createdAt }: Job): boolean {
    const { name } = this.#spec;
    const now = this.#now();
    const place = [name, id, orderingKey, name, orderingKey, now, now] as const;
    return isOne(this.#sql.insert.run(...place, body, createdAt, now));
  }

  claim(limit: number): Promise<Claim[]> {
    return this.#transactions.run(() => {
      this.#rebaseTimes();
      const now = this.#now();
      const { name, leaseMs } = this.#spec;
      const token = `${randomUUID()}.`;
      const rows = this.#sql.claim.all(now + leaseMs, now, token, name, now, limit) as Row[];
      return rows.sort((a, b) => a.seq - b.seq).map(toClaim);
    });
  }

  #now(): number {
    const now = this.#clock();
    this.#latestAt = Math.max(this.#latestAt, now);
    return now;
  }

  /**
   * Jobs that were stored or postponed while the clock was ahead must not wait for that time. Another
   * process may have stored them and ended, so this looks from time to time.
   */
  #rebaseTimes(): void {
    const latestAt = this.#latestAt;
    const now = this.#clock();
    if (now >= latestAt && now - this.#rebasedAt < rebaseEveryMs) return;
    this.#sql.rebase.run(now, now, this.#spec.name, now, now);
    this.#latestAt = now;
    this.#rebasedAt = now;
  }

  renew(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#transactions.run(() => {
      const now = this.#now();
      const { name, leaseMs } = this.#spec;
      const isValid = (token: string) =>
        isOne(this.#sql.renew.run(now + leaseMs, now, name, seqOf(token), token));
      return new Set(tokens.filter(isValid));
    });
  }

  finish(claim: Claim, result: JobResult): Promise<boolean> {
    return this.#transactions.run(() => {
      if ('done' in result) return this.#markDone(claim, result.done, result.outcome);
      const fence = this.#fenceOf(claim);
      if ('deadLetter' in result) {
        return isOne(this.#sql.moveToDeadLetters.run(result.deadLetter, ...fence));
      }
      const now = this.#now();
      const { retryInMs, error = null } = result;
      const uncounted = result.countsAttempt === false ? 1 : 0;
      const failingSince = error === null ? null : now;
      return isOne(
        this.#sql.release.run(now + retryInMs, now, uncounted, error, failingSince, ...fence),
      );
    });
  }

  commit(
    claim: Claim,
    write: (tx: SqliteDatabase) => unknown,
    output: string | undefined,
  ): Promise<void> {
    return this.#transactions.runAlone(() => {
      if (!this.#markDone(claim, output)) throw new LeaseLostError(claim.id);
      this.#callWrite(write, 'commit()');
    });
  }

  /** The connection is shared: an await would let other writes into this transaction. */
  #callWrite(write: (tx: SqliteDatabase) => unknown, what: string): void {
    const takes = `${what} of sqliteEngine takes a synchronous function`;
    if (isAsyncFunction(write) || isGeneratorFunction(write)) {
      throw new TypeError(`${takes}; it was not called. Nothing was stored.`);
    }
    const returned = [write(this.#database)].flat();
    if (returned.some(isPromise)) {
      // It was refused; it must not become an unhandled rejection as well. Its own "then" may run a query.
      for (const it of returned) {
        if (isPromise(it) && it.then === Promise.prototype.then) void it.catch(() => undefined);
      }
      throw new TypeError(
        `${takes}; it returned a promise. What it did so far was rolled back, and what it does later is outside of the transaction. ${elsewhere}`,
      );
    }
    const isUnrun = (it: unknown) =>
      unrunQuery.some(
        (name) => typeof (Object(it) as Record<string, unknown>)[name] === 'function',
      );
    const unrun = returned.find(isUnrun);
    if (unrun === undefined) return;
    const remedy =
      typeof (unrun as { run?: unknown }).run === 'function' ? 'End it with .run().' : elsewhere;
    throw new TypeError(
      `${takes}; it returned a query that was not run. Nothing was stored. ${remedy}`,
    );
  }

  #fenceOf({ token }: Claim): readonly [queue: string, seq: number, token: string] {
    return [this.#spec.name, seqOf(token), token];
  }

  #markDone(claim: Claim, output: string | undefined, outcome?: string): boolean {
    const fence = this.#fenceOf(claim);
    const result = [output ?? null, outcome ?? null, this.#clock()] as const;
    if (!isOne(this.#sql.markDone.run(...result, ...fence))) return false;
    this.#unblockNext(claim.orderingKey);
    return true;
  }

  /** Lets the next job of an ordering key run. The caller has just ended the one before. */
  #unblockNext(orderingKey: string): void {
    const now = this.#now();
    this.#sql.unblockNext.run(now, now, this.#spec.name, orderingKey);
  }

  nextDueAt(): Promise<number | undefined> {
    const row = this.#sql.nextDueAt.get(this.#spec.name) as { due_at: number | null };
    return Promise.resolve(row.due_at ?? undefined);
  }

  checkpoint(): Promise<Checkpoint | undefined> {
    const row = this.#sql.readCheckpoint.get(this.#spec.name) as { checkpoint: string } | undefined;
    return Promise.resolve(row && (JSON.parse(row.checkpoint) as Checkpoint));
  }

  find(ids: readonly string[]): Promise<ReadonlyMap<string, JobRecord>> {
    const found = new Map<string, JobRecord>();
    for (const id of ids) {
      const row = this.#sql.find.get(this.#spec.name, id) as Row | undefined;
      if (row !== undefined) found.set(id, toRecord(row));
    }
    return Promise.resolve(found);
  }

  list(
    state: JobState | 'open',
    { limit, cursor = '0', outcome, orderingKey }: JobListOptions,
  ): Promise<JobPage> {
    const { name } = this.#spec;
    const word = outcome ?? null;
    const code = state === 'open' ? null : stateCodes[state];
    // One more than asked for says whether there is another page.
    const rows = (
      state === 'done'
        ? this.#sql.listDone.all(name, Number(cursor), word, word, limit + 1)
        : orderingKey === undefined
          ? this.#sql.listOpen.all(name, code, code, Number(cursor), limit + 1)
          : this.#sql.listOpenOfKey.all(name, orderingKey, code, code, Number(cursor), limit + 1)
    ) as Row[];
    const page = rows.slice(0, limit);
    const nextCursor = rows.length > limit ? String(page.at(-1)?.seq) : null;
    return Promise.resolve({ items: page.map(toRecord), nextCursor });
  }

  counts(): Promise<QueueCounts> {
    const { name } = this.#spec;
    const now = this.#clock();
    const row = this.#sql.counts.get(now, name) as CountsRow;
    const { waiting, running, dead, due_at, is_worked_on } = row;
    const { oldest } = this.#sql.oldest.get(name) as { oldest: number | null };
    const oldestWaitingMs = oldest === null ? null : Math.max(0, now - oldest);
    const isOverdue = due_at !== null && due_at <= now && is_worked_on === 0;
    const overdueMs = isOverdue ? now - due_at : null;
    return Promise.resolve({ waiting, running, dead, oldestWaitingMs, overdueMs });
  }

  retry(id: string): Promise<boolean> {
    return this.#transactions.run(() => {
      const now = this.#now();
      return isOne(this.#sql.requeue.run(now, now, this.#spec.name, id));
    });
  }

  complete(id: string, output: string, outcome?: string): Promise<boolean> {
    return this.#transactions.run(() => {
      const result = [output, outcome ?? null, this.#clock()] as const;
      const row = this.#sql.complete.get(...result, this.#spec.name, id) as Row | undefined;
      if (row !== undefined) this.#unblockNext(row.ordering_key);
      return row !== undefined;
    });
  }

  prune(doneBefore: Date): Promise<number> {
    return this.#transactions.run(() =>
      Number(this.#sql.prune.run(this.#spec.name, doneBefore.getTime()).changes),
    );
  }

  /** After the calls that came before: those that hold this queue reach the database within this turn. */
  async close(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#transactions.ended();
    this.#release();
  }
}

/** What queries, statements and generators have, and no result of one. Reading "then" is harmless; a call would run the query. */
const unrunQuery = ['then', 'run', 'execute', 'next'];

/** For a client of MySQL, or of another file, which cannot join the transaction. */
const elsewhere =
  "If that database is not the engine's, write to it before add(), or in the callback without commit().";

function isOne({ changes }: { readonly changes: number | bigint }): boolean {
  return Number(changes) === 1;
}
