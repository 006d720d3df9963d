/** The one hash of ours for each queue: its checkpoint, and into how many shards it is split. */

import { DurableConfigurationError } from '../errors.js';
import type { Checkpoint } from '../engine/job.js';
import type { RedisLike } from './bullmq.js';

export class QueueState {
  readonly #redis: RedisLike;
  readonly #key: string;

  constructor(redis: RedisLike, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  async checkpoint(): Promise<Checkpoint | undefined> {
    const text = await this.#redis.hget(this.#key, 'checkpoint');
    return text === null ? undefined : (JSON.parse(text) as Checkpoint);
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    await this.#redis.hset(this.#key, 'checkpoint', JSON.stringify(checkpoint));
  }

  /**
   * Stores the number of shards, or checks it: with another one a job would be looked for in the
   * wrong shard.
   *
   * @param isEmpty - whether no job is in the queue's first so many shards
   * @throws {@link DurableConfigurationError}
   */
  async checkShards(shards: number, isEmpty: (stored: number) => Promise<boolean>): Promise<void> {
    await this.#redis.hsetnx(this.#key, 'shards', String(shards));
    const stored = Number(await this.#redis.hget(this.#key, 'shards'));
    if (stored === shards) return;
    if (!(await isEmpty(stored))) {
      throw new DurableConfigurationError(
        `The queue has ${stored} shards and holds jobs: "shards: ${shards}" is possible when it is empty.`,
      );
    }
    await this.#redis.hset(this.#key, 'shards', String(shards));
  }
}
