/** `MemoryStore`: the jobs of one queue in this process's memory. */

import { randomUUID } from 'node:crypto';
import { checkJobs } from '../queue/check-jobs.js';
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

interface StoredJob extends Omit<Job, 'body'> {
  readonly enqueuedAt: number;
  /** Dropped when the job is done. */
  body: string | undefined;
  state: JobState;
  /** Of a waiting head: when it is due. Of a running job: when its lease ends. */
  dueAt: number;
  attempt: number;
  claims: number;
  token?: string | undefined;
  output?: string | undefined;
  outcome?: string | undefined;
  error?: string | undefined;
  failingSince?: Date | undefined;
  doneAt?: number;
}

export class MemoryStore implements JobStore<never> {
  readonly #clock: Time['clock'];
  readonly #spec: QueueSpec;
  /** In the order of `enqueue`, which a Map preserves. */
  readonly #jobs = new Map<string, StoredJob>();
  /** Waiting and running jobs of each ordering key, and dead letters that hold it, in order. */
  readonly #open = new Map<string, StoredJob[]>();
  /** The first open job of each ordering key, unless it is a dead letter. */
  readonly #heads = new Set<StoredJob>();
  #checkpoint: Checkpoint | undefined;

  /** The place of the page's last job. */
  readonly cursorPattern = /^\d{1,15}$/;

  constructor(spec: QueueSpec, clock: Time['clock']) {
    this.#spec = spec;
    this.#clock = clock;
  }

  async enqueue(
    jobs: readonly Job[],
    options: EnqueueOptions<never, unknown> = {},
  ): Promise<{ added: string[] }> {
    if (options.tx !== undefined || options.write !== undefined) {
      throw new TypeError('The memory engine has no transactions.');
    }
    checkJobs(jobs);
    const added: string[] = [];
    for (const job of jobs) {
      if (this.#jobs.has(job.id)) continue;
      this.#add(job);
      added.push(job.id);
    }
    if (options.checkpoint !== undefined) this.#checkpoint = structuredClone(options.checkpoint);
    return Promise.resolve({ added });
  }

  #add({ id, orderingKey, body, createdAt }: Job): void {
    const now = this.#clock();
    const stored: StoredJob = {
      id,
      orderingKey,
      body,
      createdAt,
      enqueuedAt: now,
      dueAt: now,
      state: 'waiting',
      attempt: 0,
      claims: 0,
    };
    this.#jobs.set(id, stored);
    this.#reopen(stored);
  }

  async claim(limit: number): Promise<Claim[]> {
    const now = this.#clock();
    const claims: Claim[] = [];
    for (const job of this.#heads) {
      if (claims.length >= limit) break;
      if (job.dueAt > now) continue;
      job.state = 'running';
      job.attempt += 1;
      job.claims += 1;
      job.dueAt = now + this.#spec.leaseMs;
      job.token = randomUUID();
      claims.push(toClaim(job, job.token));
    }
    return Promise.resolve(claims);
  }

  async renew(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const asked = new Set(tokens);
    const valid = new Set<string>();
    for (const job of this.#heads) {
      if (job.token === undefined || !asked.has(job.token)) continue;
      job.dueAt = this.#clock() + this.#spec.leaseMs;
      valid.add(job.token);
    }
    return Promise.resolve(valid);
  }

  async finish(claim: Claim, result: JobResult): Promise<boolean> {
    const job = this.#jobs.get(claim.id);
    if (job?.token !== claim.token) return Promise.resolve(false);
    job.token = undefined;
    if ('done' in result) {
      this.#end(job, result.done, result.outcome);
    } else if ('deadLetter' in result) {
      job.error = result.deadLetter;
      job.state = 'dead';
      this.#heads.delete(job);
    } else {
      if (result.error !== undefined) {
        job.error = result.error;
        job.failingSince ??= new Date(this.#clock());
      }
      if (result.countsAttempt === false) job.attempt -= 1;
      job.state = 'waiting';
      job.dueAt = this.#clock() + result.retryInMs;
      this.#moveToEnd(job);
    }
    return Promise.resolve(true);
  }

  commit(): Promise<void> {
    return Promise.reject(
      new TypeError(
        'The memory engine has no transactions: "commit" needs sqliteEngine or pgBossEngine.',
      ),
    );
  }

  async nextDueAt(): Promise<number | undefined> {
    let earliest: number | undefined;
    for (const { dueAt } of this.#heads) earliest = Math.min(earliest ?? Infinity, dueAt);
    return Promise.resolve(earliest);
  }

  checkpoint(): Promise<Checkpoint | undefined> {
    return Promise.resolve(structuredClone(this.#checkpoint));
  }

  find(ids: readonly string[]): Promise<ReadonlyMap<string, JobRecord>> {
    const found = ids.flatMap((id) => this.#jobs.get(id) ?? []);
    return Promise.resolve(new Map(found.map((job) => [job.id, toRecord(job)])));
  }

  /** A cursor is the position of the page's last job among all jobs. */
  list(
    state: JobState | 'open',
    { limit, cursor = '-1', outcome, orderingKey }: JobListOptions,
  ): Promise<JobPage> {
    const found = [...this.#jobs.values()]
      .map((job, place) => ({ job, place }))
      .filter(({ place }) => place > Number(cursor))
      .filter(({ job }) => (state === 'open' ? job.state !== 'done' : job.state === state))
      .filter(({ job }) => outcome === undefined || job.outcome === outcome)
      .filter(({ job }) => orderingKey === undefined || job.orderingKey === orderingKey);
    const page = found.slice(0, limit);
    const nextCursor = found.length > limit ? String(page.at(-1)?.place) : null;
    return Promise.resolve({ items: page.map(({ job }) => toRecord(job)), nextCursor });
  }

  counts(): Promise<QueueCounts> {
    const counts = { waiting: 0, running: 0, dead: 0, done: 0 };
    let oldest = Infinity;
    for (const { state, enqueuedAt } of this.#jobs.values()) {
      counts[state] += 1;
      if (state === 'waiting' || state === 'running') oldest = Math.min(oldest, enqueuedAt);
    }
    const { waiting, running, dead } = counts;
    const now = this.#clock();
    const oldestWaitingMs = oldest === Infinity ? null : Math.max(0, now - oldest);
    const isWorkedOn = [...this.#heads].some((job) => job.token !== undefined && job.dueAt > now);
    const dueAt = Math.min(...[...this.#heads].map((job) => job.dueAt));
    const overdueMs = isWorkedOn || dueAt > now ? null : now - dueAt;
    return Promise.resolve({ waiting, running, dead, oldestWaitingMs, overdueMs });
  }

  async retry(id: string): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (job?.state !== 'dead') return Promise.resolve(false);
    job.state = 'waiting';
    job.attempt = 0;
    job.failingSince = undefined;
    job.dueAt = this.#clock();
    this.#reopen(job);
    return Promise.resolve(true);
  }

  async complete(id: string, output: string, outcome?: string): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (job?.state !== 'dead') return Promise.resolve(false);
    this.#end(job, output, outcome);
    return Promise.resolve(true);
  }

  async prune(doneBefore: Date): Promise<number> {
    let pruned = 0;
    for (const { id, doneAt } of this.#jobs.values()) {
      if (doneAt === undefined || doneAt >= doneBefore.getTime()) continue;
      this.#jobs.delete(id);
      pruned += 1;
    }
    return Promise.resolve(pruned);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Puts a waiting job in its place among the open ones of its ordering key. */
  #reopen(job: StoredJob): void {
    const open = this.#open.get(job.orderingKey);
    if (open === undefined) {
      this.#open.set(job.orderingKey, [job]);
      this.#heads.add(job);
    } else if (open[0]?.id === job.id) {
      // A dead letter that held its ordering key.
      this.#heads.add(job);
    } else {
      open.push(job);
    }
  }

  /** Marks a job as done and lets the next of its ordering key run. */
  #end(job: StoredJob, output: string | undefined, outcome: string | undefined): void {
    job.state = 'done';
    job.doneAt = this.#clock();
    job.body = undefined;
    job.output = output;
    job.outcome = outcome;
    this.#heads.delete(job);
    const open = this.#open.get(job.orderingKey);
    if (open?.[0]?.id !== job.id) return;
    open.shift();
    const next = open.at(0);
    if (next === undefined) this.#open.delete(job.orderingKey);
    else this.#heads.add(next);
  }

  /** Jobs that wait for a retry must not be claimed before others that became due earlier. */
  #moveToEnd(job: StoredJob): void {
    this.#heads.delete(job);
    this.#heads.add(job);
  }
}

function toClaim(job: StoredJob, token: string): Claim {
  const { id, orderingKey, body = '', createdAt, attempt, claims, failingSince } = job;
  const enqueuedAt = new Date(job.enqueuedAt);
  return { id, orderingKey, body, createdAt, attempt, claims, failingSince, enqueuedAt, token };
}

function toRecord(job: StoredJob): JobRecord {
  return {
    id: job.id,
    orderingKey: job.orderingKey,
    state: job.state,
    attempt: job.attempt,
    claims: job.claims,
    createdAt: job.createdAt,
    enqueuedAt: new Date(job.enqueuedAt),
    body: job.body,
    output: job.output,
    outcome: job.outcome,
    error: job.error,
  };
}
