/** `BullmqStore`: queues of BullMQ as the store that the durable worker runs on. */

import { randomUUID } from 'node:crypto';
import { checkJobs } from '../engine/check-jobs.js';
import type { QueueSpec } from '../engine/engine.js';
import type {
  Checkpoint,
  Job,
  JobRecord,
  JobResult,
  JobState,
  QueueCounts,
} from '../engine/job.js';
import type { Claim, JobStore } from '../engine/job-store.js';
import type { Time } from '../engine/time.js';
import type { BullJobLike, RedisLike } from './bullmq.js';
import { isRefused } from './bullmq.js';
import type { HeldKeys } from './held-keys.js';
import { claimsOf, dataOf, toClaim } from './job-data.js';
import type { QueueJobs } from './queue-jobs.js';
import type { QueueState } from './queue-state.js';
import type { Shard } from './shard.js';
import type { WakeStream } from './wake-stream.js';

export interface BullmqStoreOptions {
  readonly spec: QueueSpec;
  readonly clock: Time['clock'];
  readonly redis: RedisLike;
  readonly jobs: QueueJobs;
  readonly state: QueueState;
  /** The held keys of each shard. */
  readonly held: readonly HeldKeys[];
  readonly wakes: WakeStream;
  /** Opens the workers: a process that only enqueues needs none. */
  readonly openShards: () => Promise<readonly Shard[]>;
  readonly close: () => Promise<void>;
}

/** A job that this process runs. */
interface Running {
  readonly job: BullJobLike;
  readonly shard: Shard;
}

/** How often keys are freed whose dead letter was removed by hand. */
const sweepMs = 60_000;

export class BullmqStore implements JobStore<never> {
  readonly #options: BullmqStoreOptions;
  readonly #running = new Map<string, Running>();
  #shards: Promise<readonly Shard[]> | undefined;
  #sweepAt = 0;
  #turn = 0;
  /** When the latest claim began. */
  #claimedAt = 0;
  /** Results that are being stored. */
  #finishing = 0;

  constructor(options: BullmqStoreOptions) {
    this.#options = options;
  }

  async enqueue(
    jobs: readonly Job[],
    options: { readonly checkpoint?: Checkpoint | undefined; readonly tx?: undefined } = {},
  ): Promise<{ added: readonly string[] }> {
    if ((options as { tx?: unknown }).tx !== undefined) {
      throw new TypeError('The BullMQ engine has no transactions.');
    }
    checkJobs(jobs);
    const added = await this.#options.jobs.add(jobs);
    // Never before the jobs: a server that loses its latest writes would keep it alone.
    const { checkpoint } = options;
    if (checkpoint !== undefined) await this.#options.state.writeCheckpoint(checkpoint);
    if (added.length > 0) await this.#wake();
    return { added };
  }

  /** The workers of other processes; those of this one were woken already. */
  async #wake(): Promise<void> {
    const { wakes, redis } = this.#options;
    await wakes.wake(redis);
  }

  checkpoint(): Promise<Checkpoint | undefined> {
    return this.#options.state.checkpoint();
  }

  async claim(limit: number): Promise<Claim[]> {
    const shards = await this.#openShards();
    await this.#sweep();
    this.#claimedAt = this.#options.clock();
    const claims: Claim[] = [];
    const free = this.#freeShards(shards);
    while (free.length > 0 && claims.length < limit) {
      const batch = free.splice(0, limit - claims.length);
      const fetches = await Promise.allSettled(batch.map((shard) => this.#claimOf(shard, claims)));
      const failed = fetches.find(({ status }) => status === 'rejected');
      // What other shards gave is ours: it must run, and its leases be renewed.
      if (failed !== undefined && claims.length === 0)
        throw (failed as PromiseRejectedResult).reason;
    }
    return claims;
  }

  /** The shards without a job of this process, another one first each time. */
  #freeShards(shards: readonly Shard[]): Shard[] {
    const now = this.#options.clock();
    this.#turn = (this.#turn + 1) % shards.length;
    const turned = [...shards.slice(this.#turn), ...shards.slice(0, this.#turn)];
    return turned.filter(({ busyUntil }) => busyUntil <= now);
  }

  async #claimOf(shard: Shard, claims: Claim[]): Promise<void> {
    const token = randomUUID();
    let fetched = await shard.fetch(token);
    // Thousands may wait to be parked: what another shard found must not wait for them.
    while (fetched === 'moved' && claims.length === 0) fetched = await shard.fetch(token);
    if (typeof fetched === 'string') return;
    shard.busyUntil = this.#options.clock() + this.#options.spec.leaseMs;
    this.#running.set(token, { job: fetched, shard });
    claims.push(toClaim(fetched, token));
  }

  async renew(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const valid = new Set<string>();
    for (const token of tokens) {
      const { job, shard } = this.#running.get(token) ?? {};
      if (job === undefined || shard === undefined) continue;
      shard.busyUntil = this.#options.clock() + this.#options.spec.leaseMs;
      if (await shard.renew(job, token)) valid.add(token);
      else this.#forget(token);
    }
    return valid;
  }

  async finish({ token }: Claim, result: JobResult): Promise<boolean> {
    const { job, shard } = this.#running.get(token) ?? {};
    if (job === undefined || shard === undefined) return false;
    this.#finishing += 1;
    try {
      const isStored = await shard.finish(job, token, result);
      // Given back: a worker of another process may take it.
      if (isStored && 'retryInMs' in result && result.retryInMs <= 0) await this.#wake();
      return isStored;
    } finally {
      this.#finishing -= 1;
      this.#forget(token);
    }
  }

  #forget(token: string): void {
    const { shard } = this.#running.get(token) ?? {};
    if (shard !== undefined) shard.busyUntil = 0;
    this.#running.delete(token);
  }

  commit(): Promise<void> {
    return Promise.reject(
      new TypeError(
        'The BullMQ engine has no transactions: "commit" needs sqliteEngine or pgBossEngine.',
      ),
    );
  }

  find(ids: readonly string[]): Promise<ReadonlyMap<string, JobRecord>> {
    return this.#options.jobs.findRecords(ids);
  }

  list(state: JobState, limit: number): Promise<JobRecord[]> {
    return this.#options.jobs.list(state, limit);
  }

  counts(): Promise<QueueCounts> {
    return this.#options.jobs.counts();
  }

  retry(id: string): Promise<boolean> {
    return this.#requeue(id, async (job, held) => {
      const claimsBefore = claimsOf(job);
      const data = { ...dataOf(job), claimsBefore, settled: undefined };
      // With "skip" its key moved on: its time is a place before all that are held now.
      await job.updateData({ ...data, place: data.place ?? job.timestamp });
      await held.hold(job.id, dataOf(job));
    });
  }

  settle(id: string, output: string): Promise<boolean> {
    return this.#requeue(id, async (job) => {
      await job.updateData({ ...dataOf(job), settled: output });
    });
  }

  /** Changes a dead letter and puts it at the head of its shard. */
  async #requeue(
    id: string,
    change: (job: BullJobLike, held: HeldKeys) => Promise<void>,
  ): Promise<boolean> {
    const { job, shard } = (await this.#options.jobs.find(id)) ?? {};
    const held = this.#options.held[shard ?? 0];
    if (job === undefined || held === undefined || (await job.getState()) !== 'failed')
      return false;
    await change(job, held);
    job.opts.lifo = true;
    try {
      await job.retry('failed');
    } catch (error) {
      // Another process was faster.
      if (isRefused(error)) return false;
      throw error;
    }
    await this.#wake();
    return true;
  }

  prune(doneBefore: Date): Promise<number> {
    return this.#options.jobs.prune(doneBefore);
  }

  async nextDueAt(): Promise<number | undefined> {
    // The worker is woken when a result is stored: to ask before would double the calls.
    if (this.#finishing > 0) return undefined;
    // What was due at the claim and not given is behind a job that runs: its end wakes the worker.
    return this.#options.jobs.nextDueAt(this.#claimedAt);
  }

  async #sweep(): Promise<void> {
    const now = this.#options.clock();
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + sweepMs;
    for (const held of this.#options.held) await held.sweep();
  }

  #openShards(): Promise<readonly Shard[]> {
    this.#shards ??= this.#options.openShards().catch((error: unknown) => {
      this.#shards = undefined;
      throw error;
    });
    return this.#shards;
  }

  close(): Promise<void> {
    return this.#options.close();
  }
}
