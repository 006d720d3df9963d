/** Checks of what ends: dead letters, outputs, states, and what is forgotten. */

import assert from 'node:assert/strict';
import { job, jobs, type Check, type Run } from '../engine-harness.js';
import type { DurableQueue } from '../../../../src/durable/queue/engine.js';
import type { JobState } from '../../../../src/durable/queue/job.js';

const failFirst: Run = ({ id }) =>
  Promise.resolve(id === 'first' ? { deadLetter: 'no such column' } : { done: `done ${id}` });

const stateOf = async (queue: DurableQueue<unknown>, id: string): Promise<JobState | undefined> =>
  (await queue.find([id])).get(id)?.state;

export const deadLetterChecks: readonly Check[] = [
  {
    name: 'a dead letter blocks its ordering key until it is retried or completed',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('first'), job('second'), job('third'), job('other', 'b')]);
      await harness.drain(queue, failFirst);
      assert.equal(await stateOf(queue, 'other'), 'done');
      const { dead, waiting } = await queue.counts();
      assert.deepEqual({ dead, waiting }, { dead: 1, waiting: 2 });
      // What comes later is held, too.
      await queue.enqueue([job('fourth')]);
      assert.deepEqual(await harness.drainIds(queue), []);

      assert.equal(await queue.retry('second'), false);
      assert.equal(await queue.retry('unknown'), false);
      assert.equal(await queue.retry('first'), true);
      const seen: string[] = [];
      await harness.drain(queue, ({ id, attempt, claims }) => {
        seen.push(`${id} ${attempt} ${claims}`);
        return Promise.resolve(id === 'first' ? { deadLetter: 'again' } : { done: undefined });
      });
      assert.deepEqual(seen, ['first 1 2']);

      assert.equal(await queue.complete('second', 'no'), false);
      assert.equal(await queue.complete('first', 'by hand'), true);
      assert.equal(await queue.complete('first', 'twice'), false);
      assert.deepEqual(await harness.drainIds(queue), ['second', 'third', 'fourth']);
      assert.equal((await queue.find(['first'])).get('first')?.output, 'by hand');
    },
  },
  {
    name: 'what a job ended with takes the place of its body, however it ended',
    run: async (harness) => {
      const queue = await harness.open();
      const { marks } = harness.engineUnderTest;
      const ids = ['returned', 'by hand', ...(marks === undefined ? [] : ['committed'])];
      await queue.enqueue(ids.map((id) => job(id, id, '{"buyer":"Ada"}')));
      await harness.drain(queue, async ({ id, commit }) => {
        if (id === 'by hand') return { deadLetter: 'no such column' };
        if (id === 'committed') await commit((tx) => marks!.write(tx), 'result');
        return { done: 'result' };
      });
      assert.match((await queue.find(['by hand'])).get('by hand')?.body ?? '', /Ada/);
      assert.equal(await queue.complete('by hand', 'result'), true);
      const found = await queue.find(ids);
      for (const id of ids) {
        const { state, body, output } = found.get(id) ?? {};
        assert.deepEqual(
          { id, state, body, output },
          { id, state: 'done', body: undefined, output: 'result' },
        );
      }
      // It is still known.
      assert.deepEqual(await queue.enqueue(ids.map((id) => job(id, id))), { added: [] });
    },
  },
  {
    name: 'list gives page after page, and selects done jobs by their outcome',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue(jobs(25, 'job', (index) => `k${index}`));
      await harness.drain(queue, ({ id }) =>
        Promise.resolve({ done: id, outcome: id === 'job20' || id === 'job3' ? 'rare' : 'usual' }),
      );
      const ids: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await queue.list('done', { limit: 10, cursor });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
        pages += 1;
      } while (cursor !== undefined);
      assert.equal(pages, 3);
      assert.equal(new Set(ids).size, 25);

      // Behind more of the others than a page holds.
      const rare = await queue.list('done', { limit: 1, outcome: 'rare' });
      assert.equal(rare.items[0]?.outcome, 'rare');
      const next = await queue.list('done', {
        limit: 1,
        outcome: 'rare',
        cursor: rare.nextCursor ?? undefined,
      });
      const found = [...rare.items, ...next.items].map(({ id }) => id).sort();
      assert.deepEqual(found, ['job20', 'job3']);
      assert.equal(next.nextCursor, null);
      assert.deepEqual((await queue.list('dead', { limit: 5 })).items, []);
      // An empty page would say that nothing is left.
      await assert.rejects(queue.list('dead', { limit: 5, cursor: 'evt_1' }), {
        name: 'DurableConfigurationError',
        message: '"cursor" must be the nextCursor of an earlier page of this list.',
      });

      await queue.enqueue([job('first', 'other')]);
      await harness.drain(queue, failFirst);
      assert.equal(await queue.complete('first', 'by hand', 'rare'), true);
      assert.equal((await queue.list('done', { limit: 9, outcome: 'rare' })).items.length, 3);
    },
  },
  {
    name: 'find, list and counts show states, attempts, outputs and errors',
    run: async (harness) => {
      const queue = await harness.open();
      const long = `stack ${'x'.repeat(10_000)}`;
      await queue.enqueue([job('done', 'a'), job('dead', 'b', 'kept'), job('retried', 'c')]);
      const inside: (JobState | undefined)[] = [];
      await harness.drain(queue, async ({ id }) => {
        inside.push(await stateOf(queue, id));
        if (id === 'dead') return { deadLetter: long };
        return id === 'done' ? { done: 'output' } : { retryInMs: 60_000, error: long };
      });
      await queue.enqueue([job('waiting', 'd')]);
      assert.deepEqual(inside, ['running', 'running', 'running']);
      const found = await queue.find(['done', 'dead', 'retried', 'waiting', 'unknown']);
      assert.equal(found.size, 4);
      assert.equal(found.get('done')?.output, 'output');
      const { state, error, body, attempt, orderingKey, createdAt } = found.get('dead') ?? {};
      assert.deepEqual(
        { state, error, body, attempt, orderingKey, createdAt },
        {
          state: 'dead',
          error: long,
          body: 'kept',
          attempt: 1,
          orderingKey: 'b',
          createdAt: job('x').createdAt,
        },
      );
      assert.equal(found.get('retried')?.state, 'waiting');
      const age = Date.now() - (found.get('waiting')?.enqueuedAt.getTime() ?? 0);
      assert.ok(age >= -1_000 && age < 60_000, `enqueued ${age} ms ago`);
      const ids = async (of: JobState) =>
        (await queue.list(of, { limit: 10 })).items.map(({ id }) => id);
      assert.deepEqual(await ids('done'), ['done']);
      assert.deepEqual(await ids('dead'), ['dead']);
      assert.deepEqual((await ids('waiting')).sort(), ['retried', 'waiting']);
      assert.equal((await queue.list('waiting', { limit: 1 })).items.length, 1);
      const { oldestWaitingMs, waiting, running, dead } = await queue.counts();
      assert.deepEqual({ waiting, running, dead }, { waiting: 2, running: 0, dead: 1 });
      assert.ok(oldestWaitingMs !== null && oldestWaitingMs >= 0 && oldestWaitingMs < 60_000);
    },
  },
  {
    name: 'prune forgets what was done before, and nothing else',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('done', 'a'), job('first', 'b'), job('waiting', 'b')]);
      await harness.drain(queue, failFirst);
      assert.equal(await queue.prune(new Date(Date.now() - 60_000)), 0);
      assert.deepEqual((await queue.enqueue([job('done', 'a')])).added, []);
      assert.equal(await queue.prune(new Date(Date.now() + 60_000)), 1);
      assert.equal((await queue.find(['done', 'first', 'waiting'])).size, 2);
      assert.deepEqual((await queue.enqueue([job('done', 'a')])).added, ['done']);
    },
  },
];
