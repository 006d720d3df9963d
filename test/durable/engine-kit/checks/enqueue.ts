/** Checks of `enqueue`: durable, exact, once for each id. */

import assert from 'node:assert/strict';
import { job, jobs, gate, pause, type Check } from '../engine-harness.js';

export const enqueueChecks: readonly Check[] = [
  {
    name: 'a resolved enqueue is seen by a second instance',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('a')]);
      const other = await harness.openAnother();
      assert.equal((await other.find(['a'])).get('a')?.state, 'waiting');
      assert.deepEqual(await harness.drainIds(other), ['a']);
    },
  },
  {
    name: 'an id that is known in any state is not added again',
    run: async (harness) => {
      const queue = await harness.open();
      const again = async (id: string) => (await queue.enqueue([job(id, id)])).added;
      assert.deepEqual(await queue.enqueue([job('twice', 'x'), job('twice', 'y')]), {
        added: ['twice'],
      });
      assert.deepEqual(await again('twice'), [], 'waiting');
      let whileRunning: readonly string[] = ['not run'];
      await queue.enqueue([job('running', 'r'), job('retried', 's'), job('dead', 't')]);
      await harness.drain(queue, async ({ id }) => {
        if (id === 'running') whileRunning = await again(id);
        if (id === 'retried') return { retryInMs: 60_000, error: 'later' };
        return id === 'dead' ? { deadLetter: 'never' } : { done: undefined };
      });
      assert.deepEqual(whileRunning, [], 'running');
      assert.deepEqual(await again('retried'), [], 'between retries');
      assert.deepEqual(await again('dead'), [], 'dead letter');
      assert.deepEqual(await again('running'), [], 'done');
      assert.deepEqual(await harness.drainIds(queue), []);
    },
  },
  {
    name: 'added is exact, also where two instances enqueue the same at once',
    run: async (harness) => {
      const queue = await harness.open();
      const other = await harness.openAnother();
      const batch = jobs(50, 'j', (index) => `k${index % 7}`);
      await queue.enqueue(batch.slice(10, 20));
      const results = await Promise.all([queue.enqueue(batch), other.enqueue(batch)]);
      const added = results.flatMap((result) => result.added);
      const expected = batch.filter((_, index) => index < 10 || index >= 20).map(({ id }) => id);
      assert.deepEqual(added.sort(), expected.sort());
    },
  },
  {
    name: 'the checkpoint is not written where the jobs were not',
    run: async (harness) => {
      const queue = await harness.open();
      const checkpoint = (cursor: string) => ({
        cursor,
        horizon: '2026-03-01T12:00:00Z',
        at: '2026-03-01T12:00:01Z',
        anchors: [{ id: cursor, created_at: '2026-03-01T12:00:00Z' }],
      });
      assert.equal(await queue.checkpoint(), undefined);
      await queue.enqueue([job('a')], { checkpoint: checkpoint('evt_1') });
      const refused = queue.enqueue([job('b'), job('c', 'key', 'target a pair: \ud800')], {
        checkpoint: checkpoint('evt_2'),
      });
      await assert.rejects(refused);
      assert.deepEqual(await queue.checkpoint(), checkpoint('evt_1'));
      await queue.enqueue([], { checkpoint: checkpoint('evt_3') });
      assert.deepEqual(await (await harness.openAnother()).checkpoint(), checkpoint('evt_3'));
    },
  },
  {
    name: 'bodies and outputs come back as they were; what cannot be stored is refused',
    run: async (harness) => {
      const queue = await harness.open();
      const bodies = [
        '{"__proto__":{"polluted":true},"constructor":1}',
        '"\\u0000 \\ud800 as escapes"',
        'zażółć 🦊 \u2028 \u200d \r\n\t\'"\\ %s $1 ${x}',
        'x'.repeat(1024 * 1024),
      ];
      await queue.enqueue(bodies.map((body, index) => job(`b${index}`, `k${index}`, body)));
      const seen = new Map<string, string>();
      await harness.drain(queue, async ({ id, body }) => {
        seen.set(id, body);
        return Promise.resolve({ done: body.slice(0, 1000) });
      });
      for (const [index, body] of bodies.entries()) {
        assert.equal(seen.get(`b${index}`), body);
        const found = (await queue.find([`b${index}`])).get(`b${index}`);
        assert.equal(found?.output, body.slice(0, 1000));
      }
      for (const body of ['target a pair: \ud800', 'NUL: \0']) {
        await assert.rejects(queue.enqueue([job('odd', 'key', body)]), TypeError);
      }
    },
  },
  {
    name: 'ids and ordering keys may have any characters, up to 300',
    run: async (harness) => {
      const queue = await harness.open();
      const names = ['a:b:c', 'with space', '1234567890', '🦊', 'é', 'quote\'"`', 'x'.repeat(300)];
      names.push('%', '{curly}', 'a/b', '-', '0', 'constructor');
      await queue.enqueue(names.map((name) => job(name, name)));
      await queue.enqueue(names.map((name) => job(`${name.slice(0, 298)}.2`, name)));
      assert.equal((await queue.find(names)).size, names.length);
      const ids = await harness.drainIds(queue);
      assert.equal(ids.length, 2 * names.length);
      for (const name of names) {
        assert.ok(ids.indexOf(name) < ids.indexOf(`${name.slice(0, 298)}.2`), name);
      }
    },
  },
  {
    name: 'queues of other names see nothing of each other',
    run: async (harness) => {
      const one = await harness.open({ name: 'one' });
      const two = await harness.open({ name: 'two' });
      const checkpoint = { cursor: 'evt_1', anchors: [], horizon: null, at: '' };
      await one.enqueue([job('a')], { checkpoint });
      assert.equal(await two.checkpoint(), undefined);
      assert.deepEqual(await harness.drainIds(two), []);
      assert.deepEqual((await two.enqueue([job('a')])).added, ['a']);
      assert.deepEqual(await harness.drainIds(two), ['a']);
      assert.equal((await one.find(['a'])).get('a')?.state, 'waiting');
    },
  },
  {
    name: 'a worker that waits starts a new job without delay',
    run: async (harness) => {
      const queue = await harness.open();
      const started = gate();
      harness.start(queue, () => {
        started.open();
        return Promise.resolve({ done: undefined });
      });
      await pause(50);
      const at = Date.now();
      await queue.enqueue([job('a')]);
      await started.opened;
      assert.ok(Date.now() - at < 2_000, `took ${Date.now() - at} ms`);
    },
  },
];
