/**
 * `HeldKeys`: the ordering keys of a shard whose jobs may not run as BullMQ fetches them. A job that
 * waits for a retry, or is a dead letter, holds its key; jobs that are fetched behind it are parked.
 * One sorted set has them all as `key:place:job id`, in the order of their fetches.
 *
 * Each step can be repeated, and a crash between two steps heals: the worker that fetches a job of the
 * key removes members that hold it no more, and promotes the first that is left if it is parked.
 */

import type { BullQueueLike, RedisLike } from './bullmq.js';
import { isRefused } from './bullmq.js';
import { keyNameOf, type JobData } from './job-data.js';

/** How long a job is parked. Its promotion ends it before; else it is fetched and parked again. */
export const parkMs = 365 * 86_400_000;

/** No retry waits so long: a job that does is parked. */
export const longestRetryMs = parkMs / 2;

/** Members that are looked at together. */
const batchSize = 10;

/** Keys that one sweep looks at: more are left to the next. */
const sweptKeys = 1_000;

/** Places start here: below are the times of dead letters that return after their key moved on. */
const firstPlace = 1e15;

export interface HeldKeysOptions {
  readonly redis: RedisLike;
  readonly queue: BullQueueLike;
  /** The sorted set, and the counter of places. */
  readonly setKey: string;
  readonly counterKey: string;
  /** Whether a dead letter holds its ordering key. */
  readonly deadHold: boolean;
}

export class HeldKeys {
  readonly #options: HeldKeysOptions;
  #sweepFrom = '-';

  constructor(options: HeldKeysOptions) {
    this.#options = options;
  }

  /** Whether a fetched job may run: no other of its key comes before it. */
  async mayRun(jobId: string, orderingKey: string): Promise<boolean> {
    const first = await this.#promoteFirst(keyNameOf(orderingKey), undefined, jobId);
    return first === undefined || first === jobId;
  }

  /** The place behind all that were held before. */
  async nextPlace(): Promise<number> {
    return firstPlace + (await this.#options.redis.incr(this.#options.counterKey));
  }

  async hold(jobId: string, data: JobData): Promise<void> {
    await this.#options.redis.zadd(this.#options.setKey, 0, memberOf(jobId, data));
  }

  /** Called before the job ends: a crash after it leaves a successor that is fetched, not a parked one. */
  async promoteNext(jobId: string, { orderingKey }: JobData): Promise<void> {
    await this.#promoteFirst(keyNameOf(orderingKey), jobId);
  }

  async release(jobId: string, data: JobData): Promise<void> {
    await this.#options.redis.zrem(this.#options.setKey, memberOf(jobId, data));
  }

  /** Frees keys whose holder was removed by hand; goes on where the sweep before ended. */
  async sweep(): Promise<void> {
    for (let looked = 0; looked < sweptKeys; looked += 1) {
      const [member] = await this.#range(this.#sweepFrom, '+', 1);
      if (member === undefined) {
        this.#sweepFrom = '-';
        return;
      }
      const { keyName } = parse(member);
      await this.#promoteFirst(keyName);
      this.#sweepFrom = `(${keyName};`;
    }
  }

  /**
   * The first job that holds the key, promoted if it is parked. Removes members before it that hold
   * nothing: their jobs are done, or were removed.
   *
   * @param except - a job that is about to end
   * @param fetched - a job that is being run: it needs no promotion
   */
  async #promoteFirst(
    keyName: string,
    except?: string,
    fetched?: string,
  ): Promise<string | undefined> {
    let after = `[${keyName}:`;
    for (;;) {
      const members = await this.#range(after, `(${keyName};`, batchSize);
      for (const member of members) {
        const { jobId } = parse(member);
        if (jobId === except) continue;
        if (jobId === fetched) return jobId;
        const { isHolding, isParked } = await this.#look(jobId);
        if (isParked) await this.#promote(jobId);
        if (isHolding) return jobId;
        await this.#options.redis.zrem(this.#options.setKey, member);
      }
      if (members.length < batchSize) return undefined;
      after = `(${members.at(-1) ?? ''}`;
    }
  }

  #range(min: string, max: string, count: number): Promise<string[]> {
    const { redis, setKey } = this.#options;
    return redis.zrangebylex(setKey, min, max, 'LIMIT', 0, count);
  }

  async #look(jobId: string): Promise<{ isHolding: boolean; isParked: boolean }> {
    const { redis, queue, deadHold } = this.#options;
    const fields = ['timestamp', 'delay', 'finishedOn', 'returnvalue'];
    const [storedAt, delay, finishedOn, output] = await redis.hmget(queue.toKey(jobId), ...fields);
    const isOpen = storedAt !== null && finishedOn === null;
    const isDead = storedAt !== null && finishedOn !== null && output === null;
    return {
      isHolding: isOpen || (isDead && deadHold),
      isParked: isOpen && Number(delay) > longestRetryMs,
    };
  }

  async #promote(jobId: string): Promise<void> {
    const job = (await this.#options.queue.getJob(jobId)) as { promote(): Promise<void> } | null;
    try {
      await job?.promote();
    } catch (error) {
      // It waits already: another process promoted it.
      if (!isRefused(error)) throw error;
    }
  }
}

/** Places sort as text. */
function memberOf(jobId: string, { orderingKey, place = 0 }: JobData): string {
  return `${keyNameOf(orderingKey)}:${String(place).padStart(16, '0')}:${jobId}`;
}

function parse(member: string): { keyName: string; jobId: string } {
  const [keyName = '', , jobId = ''] = member.split(':');
  return { keyName, jobId };
}
