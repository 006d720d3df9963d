/** `QueueJobs`: adds jobs to the shards of a queue, and reads what they hold. */

import { randomUUID } from 'node:crypto';
import type { QueueSpec } from '../engine/engine.js';
import type { Job, JobRecord, JobState, QueueCounts } from '../engine/job.js';
import type { BullJobLike, BullQueueLike, BullState, RedisLike } from './bullmq.js';
import { bullStates, dataOf, jobIdOf, shardOf, toBulkJob, toRecord } from './job-data.js';

/** How many jobs that wait for a retry are looked at for the oldest. */
const oldestAmong = 20;

/** Jobs that one call removes. */
const pruneBatch = 1_000;

/** A job, and the index of its shard. */
export interface FoundJob {
  readonly job: BullJobLike;
  readonly shard: number;
}

export class QueueJobs {
  readonly #queues: readonly BullQueueLike[];
  readonly #redis: RedisLike;
  readonly #spec: QueueSpec;

  constructor(queues: readonly BullQueueLike[], redis: RedisLike, spec: QueueSpec) {
    this.#queues = queues;
    this.#redis = redis;
    this.#spec = spec;
  }

  /** Adds the jobs that no shard knows, in their order; gives the ids that this call added. */
  async add(jobs: readonly Job[]): Promise<string[]> {
    const first = new Map<string, Job>();
    for (const job of jobs) if (!first.has(job.id)) first.set(job.id, job);
    const unknown = (await this.#unknown([...first.values()])).map((job) => ({
      job,
      shard: shardOf(job.orderingKey, this.#queues.length),
    }));
    const storedBy = randomUUID();
    await Promise.all(
      this.#queues.map(async (queue, index) => {
        const ofShard = unknown.filter(({ shard }) => shard === index);
        const bulk = ofShard.map(({ job }, at) => toBulkJob(job, at, storedBy, this.#spec));
        if (bulk.length > 0) await queue.addBulk(bulk);
      }),
    );
    const isAdded = await Promise.all(
      unknown.map(({ job: { id }, shard }) => this.#isStoredBy(id, shard, storedBy)),
    );
    return unknown.filter((_, index) => isAdded[index]).map(({ job }) => job.id);
  }

  /** Another shard may know the id: a job with the same id and another ordering key. */
  async #unknown(jobs: readonly Job[]): Promise<Job[]> {
    const known = await Promise.all(
      jobs.map(({ id }) => {
        const jobId = jobIdOf(id);
        return this.#redis.exists(...this.#queues.map((queue) => queue.toKey(jobId)));
      }),
    );
    return jobs.filter((_, index) => known[index] === 0);
  }

  /** BullMQ does not tell whether it knew the id: another process may have been faster. */
  async #isStoredBy(id: string, shard: number, storedBy: string): Promise<boolean> {
    const key = this.#queues[shard]?.toKey(jobIdOf(id)) ?? '';
    const options = await this.#redis.hget(key, 'opts');
    return options?.includes(storedBy) ?? false;
  }

  async find(id: string): Promise<FoundJob | undefined> {
    const jobId = jobIdOf(id);
    const found = await Promise.all(this.#queues.map((queue) => queue.getJob(jobId)));
    const shard = found.findIndex((job) => job !== null && job !== undefined);
    return shard < 0 ? undefined : { job: found[shard] as BullJobLike, shard };
  }

  async findRecords(ids: readonly string[]): Promise<ReadonlyMap<string, JobRecord>> {
    const records = await Promise.all(
      ids.map(async (id) => {
        const found = await this.find(id);
        return found && toRecord(found.job, await found.job.getState());
      }),
    );
    return new Map(records.flatMap((record) => (record ? [[record.id, record] as const] : [])));
  }

  async list(state: JobState, limit: number): Promise<JobRecord[]> {
    const found = await Promise.all(
      bullStates[state].flatMap((bullState) =>
        this.#queues.map(async (queue) => {
          const jobs = (await queue.getJobs([bullState], 0, limit - 1, true)) as BullJobLike[];
          return jobs.map((job) => ({ job, record: toRecord(job, bullState) }));
        }),
      ),
    );
    return found
      .flat()
      .sort((a, b) => byEnqueue(a.job, b.job))
      .slice(0, limit)
      .map(({ record }) => record);
  }

  async counts(): Promise<QueueCounts> {
    const counted = await this.#count(Object.values(bullStates).flat());
    const sum = (states: readonly BullState[]) =>
      states.reduce((total, state) => total + (counted.get(state) ?? 0), 0);
    const dead = sum(bullStates.dead);
    const oldest = await this.#oldestWaiting();
    return {
      waiting: sum(bullStates.waiting),
      running: sum(bullStates.running),
      dead,
      // Nothing of a blocked key runs, so it has one dead letter.
      blockedKeys: this.#spec.onDeadLetter === 'block' ? dead : 0,
      oldestWaitingMs: oldest === undefined ? null : Math.max(0, Date.now() - oldest),
    };
  }

  async #count(states: readonly BullState[]): Promise<Map<BullState, number>> {
    const counted = await Promise.all(this.#queues.map((queue) => queue.getJobCounts(...states)));
    return new Map(
      states.map((state) => [
        state,
        counted.reduce((total, ofShard) => total + (ofShard[state] ?? 0), 0),
      ]),
    );
  }

  /** When the oldest job was stored that is neither done nor dead. */
  async #oldestWaiting(): Promise<number | undefined> {
    const found = await Promise.all(
      this.#queues.flatMap((queue) => [
        queue.getJobs(['wait', 'prioritized', 'active'], 0, 0, true),
        queue.getJobs(['delayed'], 0, oldestAmong - 1, true),
      ]),
    );
    const times = (found.flat() as BullJobLike[]).map(({ timestamp }) => timestamp);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async prune(doneBefore: Date): Promise<number> {
    const graceMs = Date.now() - doneBefore.getTime();
    const removed = await Promise.all(
      this.#queues.map(async (queue) => {
        for (let total = 0; ;) {
          const { length } = await queue.clean(graceMs, pruneBatch, 'completed');
          total += length;
          if (length < pruneBatch) return total;
        }
      }),
    );
    return removed.reduce((total, each) => total + each, 0);
  }

  /** When the next job that waits for a retry is due, after `since`. */
  async nextDueAt(since: number): Promise<number | undefined> {
    const found = await Promise.all(
      this.#queues.map((queue) => this.#redis.zrange(queue.toKey('delayed'), 0, 0, 'WITHSCORES')),
    );
    // BullMQ keeps 12 bits below the milliseconds.
    const times = found
      .flatMap(([, score]) => (score === undefined ? [] : [+score / 4_096]))
      .filter((time) => time > since);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

function byEnqueue(a: BullJobLike, b: BullJobLike): number {
  return a.timestamp - b.timestamp || dataOf(a).index - dataOf(b).index;
}
