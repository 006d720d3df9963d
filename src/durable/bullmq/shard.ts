/** `Shard`: one queue of BullMQ. It runs one job at a time, on all machines together. */

import type { JobResult } from '../engine/job.js';
import type { BullJobLike, BullWorkerLike } from './bullmq.js';
import { isRefused } from './bullmq.js';
import { longestRetryMs, parkMs, type HeldKeys } from './held-keys.js';
import { dataOf, type JobData } from './job-data.js';

export interface ShardOptions {
  /** On the connection of the workers, which waits until a lost server is back. */
  readonly worker: BullWorkerLike;
  readonly held: HeldKeys;
  readonly onDeadLetter: 'block' | 'skip';
  readonly leaseMs: number;
}

/** What a fetch gave: a job to run, none, or one that was parked or completed. */
export type Fetched = BullJobLike | 'none' | 'moved';

export class Shard {
  readonly #options: ShardOptions;
  /** Until when a job of this process runs here: a fetch would find nothing. */
  busyUntil = 0;

  constructor(options: ShardOptions) {
    this.#options = options;
  }

  async fetch(token: string): Promise<Fetched> {
    const { worker } = this.#options;
    const job = (await worker.getNextJob(token, { block: false })) as BullJobLike | undefined;
    if (job === undefined) return 'none';
    const { parked = 0 } = dataOf(job);
    try {
      return await this.#admit(job, token);
    } catch (error) {
      // Active with a token that nothing holds, it would block the shard for a lease.
      await this.#giveBack(job, token, parked + 1).catch(() => undefined);
      throw error;
    }
  }

  async #admit(job: BullJobLike, token: string): Promise<Fetched> {
    const { held } = this.#options;
    const { orderingKey, settled } = dataOf(job);
    if (settled !== undefined) await this.finish(job, token, { done: settled });
    else if (await held.mayRun(job.id, orderingKey)) return job;
    else await ifOurs(() => this.#park(job, token));
    return 'moved';
  }

  /** @param parked - counts the fetch as no attempt */
  #giveBack(job: BullJobLike, token: string, parked: number): Promise<boolean> {
    return ifOurs(async () => {
      if (!(await this.renew(job, token))) return;
      await job.updateData({ ...dataOf(job), parked });
      await job.moveToWait(token);
    });
  }

  async #park(job: BullJobLike, token: string): Promise<void> {
    const { parked = 0 } = dataOf(job);
    await this.#hold(job, { parked: parked + 1 });
    await job.moveToDelayed(Date.now() + parkMs, token);
  }

  /** Gives the job a place among those of its ordering key; nothing behind it runs before it ends. */
  async #hold(job: BullJobLike, change: Partial<JobData>): Promise<void> {
    const { held } = this.#options;
    const place = dataOf(job).place ?? (await held.nextPlace());
    const data = { ...dataOf(job), ...change, place };
    // First: a member without its place in the job would not be removed with the job.
    await job.updateData(data);
    await held.hold(job.id, data);
  }

  async renew(job: BullJobLike, token: string): Promise<boolean> {
    return (await job.extendLock(token, this.#options.leaseMs)) === 1;
  }

  /** Ends an attempt. `false`: the job is another worker's. */
  finish(job: BullJobLike, token: string, result: JobResult): Promise<boolean> {
    return ifOurs(async () => {
      if ('done' in result) {
        const value = { output: result.done };
        await this.#end(job, () => job.moveToCompleted(value, token, false));
      } else if ('deadLetter' in result) {
        await this.#bury(job, token, result.deadLetter);
      } else if (result.retryInMs <= 0) {
        // To the head of the shard: it is the next.
        await job.moveToWait(token);
      } else {
        const { error, retryInMs } = result;
        const delayMs = Math.min(Math.ceil(retryInMs), longestRetryMs);
        await this.#holdIfOurs(job, token, { error });
        await job.moveToDelayed(Date.now() + delayMs, token);
      }
    });
  }

  async #bury(job: BullJobLike, token: string, reason: string): Promise<void> {
    const bury = () => job.moveToFailed(new Error(reason), token, false);
    if (this.#options.onDeadLetter === 'skip') return this.#end(job, bury);
    await this.#holdIfOurs(job, token, {});
    await bury();
  }

  /** A worker without the lease must not hold a key: the job may have been done meanwhile. */
  async #holdIfOurs(job: BullJobLike, token: string, change: Partial<JobData>): Promise<void> {
    if (await this.renew(job, token)) await this.#hold(job, change);
  }

  /** After a crash between these steps, the job runs again before its promoted successor does. */
  async #end(job: BullJobLike, move: () => Promise<unknown>): Promise<void> {
    const { held } = this.#options;
    const data = dataOf(job);
    if (data.place === undefined) {
      await move();
      return;
    }
    await held.promoteNext(job.id, data);
    await move();
    await held.release(job.id, data);
  }
}

async function ifOurs(change: () => Promise<void>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}
