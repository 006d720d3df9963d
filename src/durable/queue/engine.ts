/** The contract between inbox or outbox and the engine that stores their work. */

import type {
  Checkpoint,
  ClaimedJob,
  Job,
  JobListOptions,
  JobPage,
  JobRecord,
  JobResult,
  JobState,
  QueueCounts,
} from './job.js';

declare const transactions: unique symbol;

/**
 * Where inboxes and outboxes keep their work: made by `memoryEngine`, `sqliteEngine` or `pgBossEngine`, and passed
 * to them as it is. `Tx` is the transaction that `commit` and `write` get; `AddTx` is what `add({ tx })` may join.
 */
export interface DurableEngine<Tx = never, AddTx = Tx> {
  /** For messages: `'sqlite'`. */
  readonly name: string;
  /** For types alone: no engine has it. */
  [transactions]?(join: AddTx): Tx;
}

/** Work that waits: durable, unique by id, in order within an ordering key. The inside of a {@link DurableEngine}. */
export interface QueueEngine<Tx = never, AddTx = Tx> extends DurableEngine<Tx, AddTx> {
  /** Opens a queue by its name. Creates what is missing, unless `migrate` is off. */
  open(spec: QueueSpec): Promise<DurableQueue<Tx, AddTx>>;
  /** The names of all queues in the store, in any order: of this program and of others. */
  listQueues(): Promise<readonly string[]>;
  /** What may hold up `open`, and what to do then: a sentence for the error. */
  readonly openHint?: string | undefined;
  /** `open` in this turn. Only engines whose transactions are synchronous have it. */
  openSync?(spec: QueueSpec): DurableQueue<Tx, AddTx>;
}

/** What an `enqueue` does besides storing jobs. */
export interface EnqueueOptions<Tx, AddTx> {
  /** Written in the same transaction as the jobs, or after them, never before. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Joins the caller's open transaction: the jobs are durable when it commits. */
  readonly tx?: AddTx | undefined;
  /**
   * Runs in the transaction that stores the jobs, after them, and only if one of them is new: both
   * are stored, or neither. Not together with `tx`.
   */
  readonly write?: ((tx: Tx) => unknown) | undefined;
}

/** What a queue is opened with. */
export interface QueueSpec {
  /** Letters, digits and hyphens: `market-default-sandbox-events`. */
  readonly name: string;
  /** How long a claim holds without renewal. */
  readonly leaseMs: number;
  /** How long the id of a done job is known at least. */
  readonly keepDoneMs: number;
}

/** How a worker runs. */
export interface WorkOptions {
  /** Jobs at once: no more than one of an ordering key. */
  readonly concurrency: number;
  /** Fires to claim no more; running jobs end by themselves, then `work` resolves. */
  readonly signal: AbortSignal;
  /** Fires to release running jobs at once: each job's own signal fires, and its result is ignored. */
  readonly abandonSignal?: AbortSignal | undefined;
  /** Resolve as soon as nothing is due: jobs that wait for a retry, or behind one, are left. */
  readonly untilIdle?: boolean | undefined;
  /** Receives failures of the engine itself; the worker goes on. Must not throw. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A named queue of an engine. Any number of processes may open it at once. */
export interface DurableQueue<Tx = never, AddTx = Tx> {
  /**
   * Before a worker starts: refuses what would fail later. No part of `open`, which must not wait for what the
   * caller of an `enqueue({ tx })` may hold.
   *
   * @returns What is wrong and works for now, for the log.
   * @throws {@link DurableConfigurationError}
   */
  check?(): Promise<string | undefined>;
  /**
   * Stores the jobs that the queue does not know, in this order; `added` has their ids. Durable
   * when resolved, or when `tx` commits.
   *
   * @throws {@link TypeError} when a job cannot be stored, when the engine has no transactions, or
   * when `tx` has none open.
   */
  enqueue(
    jobs: readonly Job[],
    options?: EnqueueOptions<Tx, AddTx>,
  ): Promise<{ readonly added: readonly string[] }>;
  /** The same in this turn, in an open transaction: for one that takes a synchronous function. */
  enqueueSync?(jobs: readonly Job[], tx: AddTx): { readonly added: readonly string[] };
  /** The checkpoint that was written last. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /**
   * Runs jobs until `signal` fires. `run` should not reject: a rejection is retried after the
   * lease. Several calls may run at once, in this process or in others.
   */
  work(run: (job: ClaimedJob<Tx>) => Promise<JobResult>, options: WorkOptions): Promise<void>;
  /** The jobs that the queue knows, by id; with `tx`, also those that this transaction stored. */
  find(ids: readonly string[], tx?: AddTx): Promise<ReadonlyMap<string, JobRecord>>;
  /**
   * A page of the jobs in a state, in the order of `enqueue`. `'open'`: in any state but `'done'`, so that a job
   * which moves between them meanwhile is not missed.
   */
  list(state: JobState | 'open', options: JobListOptions): Promise<JobPage>;
  counts(): Promise<QueueCounts>;
  /** Makes a dead letter wait again, from attempt 1 and in its old place. `false` if it is not one. */
  retry(id: string): Promise<boolean>;
  /** Makes a dead letter done, and frees its ordering key. `false` if it is not one. */
  complete(id: string, output: string, outcome?: string): Promise<boolean>;
  /** Forgets jobs that were done before; returns their number. */
  prune(doneBefore: Date): Promise<number>;
  /** Releases what `open` took. The queue's workers must have ended. */
  close(): Promise<void>;
}
