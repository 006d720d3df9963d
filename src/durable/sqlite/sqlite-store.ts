/** `SqliteStore`: the jobs of one queue in two tables. */

import { randomUUID } from 'node:crypto';
import { checkJobs } from '../queue/check-jobs.js';
import type { QueueSpec } from '../queue/engine.js';
import type { Checkpoint, Job, JobRecord, JobResult, JobState, QueueCounts } from '../queue/job.js';
import type { Claim, JobStore } from '../queue/job-store.js';
import type { Time } from '../queue/time.js';
import { LeaseLostError } from '../errors.js';
import type { SqliteDatabase } from './database.js';
import { stateCodes } from './schema.js';
import { prepareStatements, type Statements } from './statements.js';
import type { Transactions } from './transactions.js';

interface Row {
  readonly seq: number;
  readonly id: string;
  readonly ordering_key: string;
  readonly state: number;
  readonly attempt: number;
  readonly claims: number;
  readonly token: string;
  readonly body: string | null;
  readonly output: string | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly enqueued_at: number;
}

const states = Object.keys(stateCodes) as JobState[];

export class SqliteStore implements JobStore<SqliteDatabase> {
  readonly #database: SqliteDatabase;
  readonly #transactions: Transactions;
  readonly #spec: QueueSpec;
  readonly #clock: Time['clock'];
  readonly #sql: Statements;
  readonly #release: () => void;

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
    options: {
      readonly checkpoint?: Checkpoint | undefined;
      readonly tx?: SqliteDatabase | undefined;
    } = {},
  ): Promise<{ added: string[] }> {
    const { checkpoint, tx } = options;
    checkJobs(jobs);
    const write = () => {
      const added = jobs.filter((job) => this.#insert(job)).map(({ id }) => id);
      if (checkpoint !== undefined) {
        this.#sql.writeCheckpoint.run(this.#spec.name, JSON.stringify(checkpoint));
      }
      return { added };
    };
    if (tx === undefined) return this.#transactions.run(write);
    if (tx !== this.#database) {
      throw new TypeError('"tx" must be the database that sqliteEngine was given.');
    }
    return write();
  }

  #insert({ id, orderingKey, body, createdAt }: Job): boolean {
    const now = this.#clock();
    const { name } = this.#spec;
    const { changes } = this.#sql.insert.run(
      ...[name, id, orderingKey, name, orderingKey],
      ...[now, body, createdAt, now],
    );
    return Number(changes) === 1;
  }

  claim(limit: number): Promise<Claim[]> {
    return this.#transactions.run(() => {
      const now = this.#clock();
      const leaseUntil = now + this.#spec.leaseMs;
      const rows = this.#sql.claim.all(leaseUntil, `${randomUUID()}.`, this.#spec.name, now, limit);
      return (rows as Row[]).sort((a, b) => a.seq - b.seq).map(toClaim);
    });
  }

  renew(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#transactions.run(() => {
      const leaseUntil = this.#clock() + this.#spec.leaseMs;
      const isValid = (token: string) =>
        Number(this.#sql.renew.run(leaseUntil, this.#spec.name, seqOf(token), token).changes) === 1;
      return new Set(tokens.filter(isValid));
    });
  }

  finish(claim: Claim, result: JobResult): Promise<boolean> {
    return this.#transactions.run(() => {
      if ('done' in result) return this.#markDone(claim, result.done);
      const { name } = this.#spec;
      const fence = [name, seqOf(claim.token), claim.token] as const;
      if ('deadLetter' in result) {
        return Number(this.#sql.moveToDeadLetters.run(result.deadLetter, ...fence).changes) === 1;
      }
      const dueAt = this.#clock() + result.retryInMs;
      return Number(this.#sql.release.run(dueAt, result.error, ...fence).changes) === 1;
    });
  }

  commit(
    claim: Claim,
    write: (tx: SqliteDatabase) => unknown,
    output: string | undefined,
  ): Promise<void> {
    return this.#transactions.runAlone(() => {
      if (!this.#markDone(claim, output)) throw new LeaseLostError(claim.id);
      const returned = write(this.#database);
      if (isThenable(returned)) {
        // The connection is shared: an await would let other writes into this transaction.
        throw new TypeError(
          'commit() of sqliteEngine takes a synchronous function; it returned a promise.',
        );
      }
    });
  }

  #markDone(claim: Claim, output: string | undefined): boolean {
    const fence = [this.#spec.name, seqOf(claim.token), claim.token] as const;
    const { changes } = this.#sql.markDone.run(output ?? null, this.#clock(), ...fence);
    if (Number(changes) !== 1) return false;
    this.#unblockNext(claim.orderingKey);
    return true;
  }

  /** Lets the next job of an ordering key run. The caller has just ended the one before. */
  #unblockNext(orderingKey: string): void {
    this.#sql.unblockNext.run(this.#clock(), this.#spec.name, orderingKey);
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

  list(state: JobState, limit: number): Promise<JobRecord[]> {
    const statement = state === 'done' ? this.#sql.listDone : this.#sql.listOpen;
    const rows = statement.all(this.#spec.name, stateCodes[state], limit) as Row[];
    return Promise.resolve(rows.map(toRecord));
  }

  counts(): Promise<QueueCounts> {
    const { name } = this.#spec;
    const row = this.#sql.counts.get(name) as Record<'waiting' | 'running' | 'dead', number>;
    const { oldest } = this.#sql.oldest.get(name) as { oldest: number | null };
    return Promise.resolve({
      ...{ waiting: row.waiting, running: row.running, dead: row.dead },
      oldestWaitingMs: oldest === null ? null : Math.max(0, this.#clock() - oldest),
    });
  }

  retry(id: string): Promise<boolean> {
    return this.#transactions.run(
      () => Number(this.#sql.requeue.run(this.#clock(), this.#spec.name, id).changes) === 1,
    );
  }

  complete(id: string, output: string): Promise<boolean> {
    return this.#transactions.run(() => {
      const { name } = this.#spec;
      const row = this.#sql.complete.get(output, this.#clock(), name, id) as Row | undefined;
      if (row !== undefined) this.#unblockNext(row.ordering_key);
      return row !== undefined;
    });
  }

  prune(doneBefore: Date): Promise<number> {
    return this.#transactions.run(() =>
      Number(this.#sql.prune.run(this.#spec.name, doneBefore.getTime()).changes),
    );
  }

  close(): Promise<void> {
    this.#release();
    return Promise.resolve();
  }
}

/** A token ends with the row's number: the row is then found without an index of tokens. */
function seqOf(token: string): number {
  return Number(token.slice(token.lastIndexOf('.') + 1));
}

function toClaim(row: Row): Claim {
  const {
    id,
    ordering_key: orderingKey,
    body,
    created_at: createdAt,
    attempt,
    claims,
    token,
  } = row;
  const enqueuedAt = new Date(row.enqueued_at);
  return { id, orderingKey, body: body ?? '', createdAt, attempt, claims, token, enqueuedAt };
}

function toRecord(row: Row): JobRecord {
  const { id, ordering_key: orderingKey, attempt, created_at: createdAt } = row;
  return {
    ...{ id, orderingKey, attempt, createdAt },
    state: states[row.state] ?? 'waiting',
    enqueuedAt: new Date(row.enqueued_at),
    body: row.body ?? undefined,
    output: row.output ?? undefined,
    error: row.error ?? undefined,
  };
}

function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
