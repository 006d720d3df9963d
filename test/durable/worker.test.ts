import { expect, it } from 'vitest';
import type { Claim, JobStore } from '../../src/durable/engine/job-store.js';
import { resolveTime } from '../../src/durable/engine/time.js';
import { createQueue } from '../../src/durable/engine/worker.js';

/** Two jobs of one key, in a store whose claims see what stood when they began. */
class SnapshotStore {
  readonly #waiting = [claimOf('first'), claimOf('second')];
  #isHeld = false;
  #finished: Promise<void> | undefined;

  async claim(): Promise<Claim[]> {
    if (this.#isHeld) {
      // It answers after the result is stored, and does not see that.
      await this.#finished;
      await new Promise((resolve) => setImmediate(resolve));
      return [];
    }
    const next = this.#waiting.shift();
    this.#isHeld = next !== undefined;
    return next === undefined ? [] : [next];
  }

  finish(): Promise<boolean> {
    const stored = new Promise<void>((resolve) => setImmediate(resolve));
    this.#finished = stored.then(() => {
      this.#isHeld = false;
    });
    return this.#finished.then(() => true);
  }

  nextDueAt(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function claimOf(id: string): Claim {
  const enqueuedAt = new Date('2026-03-01T12:00:00Z');
  const createdAt = enqueuedAt.toISOString();
  return {
    id,
    orderingKey: 'key',
    body: '{}',
    createdAt,
    attempt: 1,
    claims: 1,
    enqueuedAt,
    token: id,
  };
}

it('is not idle while a claim was made beside a result that was being stored', async () => {
  const store = new SnapshotStore() as unknown as JobStore<never>;
  const settings = { time: resolveTime({}), leaseMs: 60_000, pollMs: 60_000 };
  const ids: string[] = [];
  await createQueue(store, settings, new Set()).work(
    ({ id }) => {
      ids.push(id);
      return Promise.resolve({ done: undefined });
    },
    { concurrency: 4, signal: new AbortController().signal, untilIdle: true },
  );
  expect(ids).toEqual(['first', 'second']);
});
