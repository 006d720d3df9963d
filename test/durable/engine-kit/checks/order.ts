/** Checks of order: one after the other within an ordering key, side by side across them. */

import assert from 'node:assert/strict';
import { gate, job, pause, type EngineHarness, type Check } from '../engine-harness.js';

export const orderChecks: readonly Check[] = [
  {
    name: 'jobs of an ordering key run one after the other, in the order of enqueue',
    run: async (harness) => {
      const queue = await harness.open();
      // Ids that sort the other way, equal times, within a batch and across batches.
      const id = (index: number) => `e${String(999 - index)}`;
      const batch = (from: number) =>
        Array.from({ length: 50 }, (_, index) => job(id(from + index), `k${(from + index) % 5}`));
      await queue.enqueue(batch(0));
      await queue.enqueue(batch(50));
      const other = await harness.openAnother();
      const started: string[] = [];
      const running = new Set<string>();
      const run = async ({ id, orderingKey }: { id: string; orderingKey: string }) => {
        assert.ok(!running.has(orderingKey), `two jobs of ${orderingKey} at once`);
        running.add(orderingKey);
        started.push(id);
        await pause(1);
        running.delete(orderingKey);
        return { done: undefined };
      };
      const stops = [harness.start(queue, run), harness.start(other, run)];
      await finished(harness, started, 100);
      for (const stop of stops) stop.abort();
      for (const key of [0, 1, 2, 3, 4]) {
        const expected = Array.from({ length: 20 }, (_, index) => id(key + 5 * index));
        assert.deepEqual(
          started.filter((one) => expected.includes(one)),
          expected,
        );
      }
    },
  },
  {
    name: 'a slow ordering key holds no other',
    run: async (harness) => {
      const queue = await harness.open();
      const slow = gate();
      const others: string[] = [];
      await queue.enqueue([job('slow', 'slow')]);
      const stop = harness.start(queue, async ({ id }) => {
        if (id === 'slow') await slow.opened;
        else others.push(id);
        return { done: undefined };
      });
      await queue.enqueue(Array.from({ length: 40 }, (_, index) => job(`o${index}`, `k${index}`)));
      await finished(harness, others, 40);
      slow.open();
      stop.abort();
    },
  },
  {
    name: 'a retry keeps its place in the ordering key, and its least wait',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('first'), job('second')]);
      const started: { id: string; at: number }[] = [];
      const run = async ({ id, attempt }: { id: string; attempt: number }) => {
        started.push({ id, at: Date.now() });
        const isFailing = id === 'first' && attempt < 3;
        return Promise.resolve(
          isFailing ? { retryInMs: 200, error: `attempt ${attempt}` } : { done: undefined },
        );
      };
      const stop = harness.start(queue, run);
      await finished(harness, started, 4, 60_000);
      stop.abort();
      assert.deepEqual(
        started.map(({ id }) => id),
        ['first', 'first', 'first', 'second'],
      );
      for (const index of [1, 2]) {
        const waited = (started[index]?.at ?? 0) - (started[index - 1]?.at ?? 0);
        assert.ok(waited >= 195, `retried after ${waited} ms`);
      }
    },
  },
];

async function finished(
  harness: EngineHarness,
  list: readonly unknown[],
  count: number,
  ms = harness.settings.takeoverMs + 10_000,
): Promise<void> {
  const until = Date.now() + ms;
  while (list.length < count) {
    if (Date.now() > until) assert.fail(`${list.length} of ${count} after ${ms} ms`);
    await pause(5);
  }
  // What should not have run has time to.
  await pause(20);
  assert.ok(list.length <= Math.max(count, 40), `${list.length} instead of ${count}`);
}
