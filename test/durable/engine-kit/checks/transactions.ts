/** Checks of `commit` and `enqueue({ tx })`; where an engine has no transactions, of their refusal. */

import assert from 'node:assert/strict';
import { eventually, gate, job, pause, type EngineHarness, type Check } from '../engine-harness.js';

export const transactionChecks: readonly Check[] = [
  {
    name: 'enqueue runs "write" in the transaction that stores the job, once for each id',
    run: async (harness) => {
      const queue = await harness.open();
      if (harness.engineUnderTest.transaction === undefined) {
        await assert.rejects(queue.enqueue([job('a')], { write: () => undefined }), TypeError);
        assert.equal((await queue.counts()).waiting, 0);
        return;
      }
      const { write, count } = marksOf(harness);
      const five = ['a', 'b', 'c', 'd', 'e'];
      const results = await Promise.all(
        [...five, 'a'].map((id) =>
          queue
            .enqueue([job(id, id)], {
              write: (tx) => {
                const written = write(tx);
                if (id === 'c') throw new Error('constraint');
                return written;
              },
            })
            .then(({ added }) => added.join(), String),
        ),
      );
      // One of the two with the same id adds nothing, and writes nothing a second time: which, is a race.
      assert.deepEqual(results.slice(1, -1), ['b', 'Error: constraint', 'd', 'e']);
      assert.deepEqual([results.at(0), results.at(-1)].sort(), ['', 'a']);
      assert.equal(await count(), 4);
      assert.deepEqual((await harness.drainIds(queue)).sort(), ['a', 'b', 'd', 'e']);
    },
  },
  {
    name: 'enqueue refuses a "tx" that has no open transaction',
    run: async (harness) => {
      const { transaction } = harness.engineUnderTest;
      if (transaction === undefined) return;
      const queue = await harness.open();
      let stale: unknown;
      await transaction((tx) => {
        stale = tx;
        return Promise.resolve();
      });
      await assert.rejects(
        () => queue.enqueue([job('a')], { tx: stale }),
        /"tx" has no open transaction/,
      );
      assert.equal((await queue.counts()).waiting, 0);
    },
  },
  {
    name: 'commit writes and marks done together, or does neither',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('fails', 'a'), job('works', 'b'), job('next', 'b')]);
      if (harness.engineUnderTest.transaction === undefined) return refusesCommit(harness);
      const { write, count } = marksOf(harness);
      const errors: unknown[] = [];
      await harness.drain(queue, async ({ id, commit }) => {
        const attempt = commit((tx) => {
          const written = write(tx);
          if (id === 'fails') throw new Error('constraint');
          return written;
        }, `committed ${id}`);
        await attempt.catch((error: unknown) => errors.push(error));
        return id === 'fails' ? { retryInMs: 60_000, error: 'constraint' } : { done: 'ignored' };
      });
      assert.equal(errors.length, 1);
      assert.equal(await count(), 2);
      const found = await queue.find(['fails', 'works', 'next']);
      assert.equal(found.get('fails')?.state, 'waiting');
      assert.equal(found.get('works')?.output, 'committed works');
      assert.equal(found.get('next')?.state, 'done');
    },
  },
  {
    name: 'commit is refused, and rolled back, after the lease was lost',
    run: async (harness) => {
      if (harness.engineUnderTest.transaction === undefined) return refusesCommit(harness);
      const queue = await harness.open();
      const { write, count } = marksOf(harness);
      await queue.enqueue([job('a')]);
      const claimed = gate();
      const late = gate();
      let outcome = 'none';
      harness.start(queue, async ({ commit }) => {
        claimed.open();
        await late.opened;
        await commit(write).then(
          () => (outcome = 'committed'),
          () => (outcome = 'refused'),
        );
        return { done: undefined };
      });
      await claimed.opened;
      await harness.engineUnderTest.crash();
      const other = await harness.openAnother();
      harness.start(other, async ({ commit }) => {
        await commit(write);
        return { done: undefined };
      });
      const isDone = async () => (await other.find(['a'])).get('a')?.state === 'done';
      await eventually('taken over', isDone, harness.settings.takeoverMs + 5_000);
      late.open();
      await eventually('a result', () => outcome !== 'none');
      assert.equal(outcome, 'refused');
      assert.equal(await count(), 1);
    },
  },
  {
    name: "enqueue joins the caller's transaction",
    run: async (harness) => {
      const queue = await harness.open();
      const { transaction } = harness.engineUnderTest;
      if (transaction === undefined) {
        await assert.rejects(queue.enqueue([job('a')], { tx: {} }), TypeError);
        assert.equal((await queue.find(['a'])).size, 0);
        return;
      }
      const ids: string[] = [];
      harness.start(queue, ({ id }) => {
        ids.push(id);
        return Promise.resolve({ done: undefined });
      });
      const rolledBack = transaction(async (tx) => {
        assert.deepEqual((await queue.enqueue([job('undone', 'a')], { tx })).added, ['undone']);
        throw new Error('roll back');
      });
      await assert.rejects(rolledBack, /roll back/);
      await transaction(async (tx) => {
        await queue.enqueue([job('kept', 'b')], { tx });
        await pause(50);
        assert.deepEqual(ids, [], 'nothing runs before the commit');
      });
      await eventually('the committed job', () => ids.length > 0);
      await pause(50);
      assert.deepEqual(ids, ['kept']);
      assert.equal((await queue.find(['undone'])).size, 0);
    },
  },
];

function marksOf({ engineUnderTest }: EngineHarness): {
  write: (tx: unknown) => unknown;
  count: () => Promise<number>;
} {
  const { marks } = engineUnderTest;
  assert.ok(marks, 'an engine with transactions is tested with "marks"');
  return { write: marks.write, count: async () => marks.count() };
}

async function refusesCommit(harness: EngineHarness): Promise<void> {
  const queue = await harness.open({ name: 'without-transactions' });
  await queue.enqueue([job('a')]);
  let refusal: unknown;
  await harness.drain(queue, async ({ commit }) => {
    await commit(() => undefined).catch((error: unknown) => (refusal = error));
    return { done: undefined };
  });
  assert.ok(refusal instanceof TypeError);
}
