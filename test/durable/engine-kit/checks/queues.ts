/** Checks of what is seen of the queues of a store: their names, and work that nobody takes. */

import assert from 'node:assert/strict';
import { done, eventually, gate, job, pause, type Check } from '../engine-harness.js';

export const queueChecks: readonly Check[] = [
  {
    name: 'every engine on the store lists the queues that any of them opened',
    run: async (harness) => {
      const { engine } = harness.engineUnderTest;
      const other = await harness.engineUnderTest.another();
      const names = async (of: typeof engine) => [...(await of.listQueues())].sort();
      assert.deepEqual(await names(engine), []);
      for (const name of ['second', 'first']) {
        const queue = await harness.open({ name });
        await queue.enqueue([job('a'), job('b')]);
      }
      assert.deepEqual(await names(other), ['first', 'second']);
      const queue = await harness.open({ name: 'first' }, other);
      await harness.drain(queue);
      // What was done, or read, is still a reason to know the name.
      assert.deepEqual(await names(engine), ['first', 'second']);
    },
  },
  {
    name: 'the list of open jobs has those of each state but done, in their order',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('done', 'a'), job('dead', 'b'), job('late', 'c')]);
      await harness.drain(queue, ({ id }) => {
        if (id === 'done') return Promise.resolve({ done: undefined });
        const isDead = id === 'dead';
        return Promise.resolve(isDead ? { deadLetter: 'no' } : { retryInMs: 60_000 });
      });
      await queue.enqueue([job('runs', 'd'), job('new', 'e')]);
      const { opened, open } = gate();
      const stop = harness.start(queue, async ({ id }) => {
        if (id === 'runs') await opened;
        return id === 'runs' ? { done: undefined } : { retryInMs: 60_000 };
      });
      const state = async (id: string) => (await queue.find([id])).get(id)?.state;
      await eventually('a job runs', async () => (await state('runs')) === 'running');
      const first = await queue.list('open', { limit: 3 });
      const rest = await queue.list('open', { limit: 3, cursor: first.nextCursor ?? '' });
      const ids = [first, rest].map(({ items }) => items.map(({ id }) => id));
      assert.deepEqual(ids, [['dead', 'late', 'runs'], ['new']]);
      assert.equal(rest.nextCursor, null);
      await queue.enqueue([job('behind', 'b'), job('last', 'b')]);
      const ofKey = async (orderingKey: string, cursor?: string) =>
        queue.list('open', { limit: 2, orderingKey, cursor });
      const firstOfKey = await ofKey('b');
      const restOfKey = await ofKey('b', firstOfKey.nextCursor ?? '');
      const idsOfKey = [firstOfKey, restOfKey].map(({ items }) => items.map(({ id }) => id));
      assert.deepEqual(idsOfKey, [['dead', 'behind'], ['last']]);
      assert.deepEqual((await ofKey('a')).items, []);
      stop.abort();
      open();
    },
  },
  {
    name: 'counts tell for how long a due job has had no worker',
    run: async (harness) => {
      const queue = await harness.open();
      const overdueMs = async () => (await queue.counts()).overdueMs;
      assert.equal(await overdueMs(), null);
      await queue.enqueue([job('dead'), job('behind'), job('slow', 'b'), job('next', 'c')]);
      await pause(20);
      assert.ok(Number(await overdueMs()) >= 10);

      const { opened, open } = gate();
      const stop = harness.start(queue, async ({ id }) => {
        if (id === 'slow') await opened;
        return id === 'dead' ? { deadLetter: 'no' } : { done: undefined };
      });
      const isDone = async (id: string) => (await queue.find([id])).get(id)?.state === 'done';
      await eventually('the next job is done', () => isDone('next'));
      // A job runs, so a worker is there, although others wait.
      assert.equal(await overdueMs(), null);
      open();
      await eventually('the slow job is done', () => isDone('slow'));
      // Results are stored in any order.
      await eventually('the dead letter is stored', async () => (await queue.counts()).dead === 1);
      stop.abort();
      // What waits behind a dead letter is not due.
      assert.deepEqual([(await queue.counts()).waiting, await overdueMs()], [1, null]);

      await queue.enqueue([job('later', 'd')]);
      await harness.drain(queue, () => Promise.resolve({ retryInMs: 60_000, error: 'later' }));
      assert.equal(await overdueMs(), null);
    },
  },
  {
    name: 'a job of a dead worker is overdue once its lease has ended',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('a')]);
      const { opened, open } = gate();
      harness.start(queue, async () => {
        open();
        await new Promise(() => undefined);
        return { done: undefined };
      });
      await opened;
      const observer = await harness.openAnother();
      assert.equal((await observer.counts()).overdueMs, null);
      harness.engineUnderTest.crash();
      await eventually(
        'it is overdue',
        async () => (await observer.counts()).overdueMs !== null,
        harness.settings.takeoverMs + 5_000,
      );
      if (harness.engineUnderTest.engine.name === 'memory') return;
      await harness.drain(observer, done);
      assert.equal((await observer.counts()).overdueMs, null);
    },
  },
];
