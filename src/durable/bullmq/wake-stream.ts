/** `WakeStream`: tells the workers of other processes that a job was stored. */

import type { Time } from '../engine/time.js';
import type { RedisLike } from './bullmq.js';

/** How long one read waits. */
const blockMs = 5_000;

/** The pause after a read failed. */
const failurePauseMs = 1_000;

type StreamEntries = readonly (readonly [key: string, entries: readonly (readonly [string])[]])[];

export class WakeStream {
  readonly #key: string;
  readonly #closed = new AbortController();
  #isListening = false;

  constructor(key: string) {
    this.#key = key;
  }

  async wake(redis: RedisLike): Promise<void> {
    await redis.xadd(this.#key, 'MAXLEN', '1', '*', 'wake', '1');
  }

  /** @param redis - a connection of its own: a read blocks it */
  listen(redis: RedisLike, sleep: Time['sleep'], onWake: () => void): void {
    if (this.#isListening) return;
    this.#isListening = true;
    void this.#listen(redis, sleep, onWake);
  }

  async #listen(redis: RedisLike, sleep: Time['sleep'], onWake: () => void): Promise<void> {
    let latest = '$';
    while (!this.#closed.signal.aborted) {
      try {
        const args = ['BLOCK', String(blockMs), 'STREAMS', this.#key, latest];
        const found = (await redis.xread(...args)) as StreamEntries | null;
        latest = found?.[0]?.[1].at(-1)?.[0] ?? latest;
        if (found !== null) onWake();
      } catch {
        // The workers look by themselves as well, and report the failure.
        await sleep(failurePauseMs, this.#closed.signal);
      }
    }
  }

  /** The read itself ends when its connection is closed. */
  close(): void {
    this.#closed.abort();
  }
}
