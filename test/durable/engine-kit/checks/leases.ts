/** Checks of claims and leases: a dead worker loses its jobs, a slow one does not. */

import assert from 'node:assert/strict';
import { eventually, gate, job, pause, type Check } from '../engine-harness.js';
import type { JobResult } from '../../../../src/durable/queue/job.js';

export const leaseChecks: readonly Check[] = [
  {
    name: 'an attempt that does not count leaves the number of attempts as it was, but counts as a claim',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('a')]);
      const startedAt = Date.now();
      const results: JobResult[] = [
        { retryInMs: 0, countsAttempt: false },
        { retryInMs: 0, error: 'credential refused', countsAttempt: false },
        { retryInMs: 0, error: 'database busy' },
        { retryInMs: 0, error: 'rate limited', countsAttempt: false },
        { deadLetter: 'database gone' },
      ];
      const seen: string[] = [];
      const failing: (Date | undefined)[] = [];
      await harness.drain(queue, ({ attempt, claims, failingSince }) => {
        seen.push(`${attempt} of ${claims}`);
        failing.push(failingSince);
        return Promise.resolve(results[claims - 1] ?? { done: undefined });
      });
      assert.deepEqual(seen, ['1 of 1', '1 of 2', '1 of 3', '2 of 4', '2 of 5']);
      // What was given back did not fail.
      assert.deepEqual(failing.slice(0, 2), [undefined, undefined]);
      const times = failing.slice(2).map((date) => date?.getTime() ?? Number.NaN);
      assert.equal(new Set(times).size, 1, String(times));
      assert.ok(Math.abs((times[0] ?? 0) - startedAt) < 60_000);
      const record = (await queue.find(['a'])).get('a');
      assert.deepEqual([record?.attempt, record?.error], [2, 'database gone']);

      await queue.retry('a');
      await harness.drain(queue, ({ attempt, failingSince }) => {
        assert.deepEqual([attempt, failingSince], [1, undefined]);
        return Promise.resolve({ done: undefined });
      });
      assert.equal((await queue.find(['a'])).get('a')?.state, 'done');
    },
  },
  {
    name: 'the job of a dead worker is taken over, and its attempt was counted',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('a'), job('b')]);
      const claimed = gate();
      harness.start(queue, async () => {
        claimed.open();
        await new Promise(() => undefined);
        return { done: undefined };
      });
      await claimed.opened;
      const other = await harness.openAnother();
      assert.equal((await other.find(['a'])).get('a')?.state, 'running');
      await harness.engineUnderTest.crash();
      const seen: string[] = [];
      harness.start(other, ({ id, attempt, claims }) => {
        seen.push(`${id} ${attempt} ${claims}`);
        return Promise.resolve({ done: undefined });
      });
      await eventually('taken over', () => seen.length >= 2, harness.settings.takeoverMs + 25_000);
      assert.deepEqual(seen, ['a 2 2', 'b 1 1']);
    },
  },
  {
    name: 'what a worker says after its lease was lost changes nothing',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('a')]);
      const claimed = gate();
      const late = gate();
      harness.start(queue, async () => {
        claimed.open();
        await late.opened;
        return { deadLetter: 'too late' };
      });
      await claimed.opened;
      await harness.engineUnderTest.crash();
      const other = await harness.openAnother();
      const taken = gate();
      const end = gate();
      harness.start(other, async () => {
        taken.open();
        await end.opened;
        return { done: 'the second' };
      });
      const { takeoverMs } = harness.settings;
      await Promise.race([taken.opened, pause(takeoverMs + 5_000)]);
      late.open();
      await pause(50);
      assert.equal((await other.find(['a'])).get('a')?.state, 'running');
      end.open();
      await eventually('done', async () => (await other.find(['a'])).get('a')?.state === 'done');
      assert.equal((await other.find(['a'])).get('a')?.output, 'the second');
    },
  },
  {
    name: 'a handler that takes longer than the lease runs once while its process lives',
    run: async (harness) => {
      const queue = await harness.open();
      const other = await harness.openAnother();
      await queue.enqueue([job('a')]);
      let starts = 0;
      let wasAborted = false;
      const run = async ({ signal }: { signal: AbortSignal }) => {
        starts += 1;
        await pause(harness.settings.leaseMs * 2.5);
        wasAborted ||= signal.aborted;
        return { done: undefined };
      };
      harness.start(queue, run);
      harness.start(other, run);
      await eventually(
        'done',
        async () => (await queue.find(['a'])).get('a')?.state === 'done',
        harness.settings.leaseMs * 3 + 5_000,
      );
      assert.deepEqual({ starts, wasAborted }, { starts: 1, wasAborted: false });
    },
  },
  {
    name: 'a stopped worker gives its jobs back at once, and uses up no attempt',
    run: async (harness) => {
      // Longer than the check: only a job that was given back can run again.
      const leaseMs = 600_000;
      const queue = await harness.open({ leaseMs });
      const other = await harness.openAnother({ leaseMs });
      await queue.enqueue([job('a')]);
      const claimed = gate();
      const aborted = gate();
      const abandon = new AbortController();
      const stop = harness.start(
        queue,
        async ({ signal }) => {
          signal.addEventListener('abort', () => aborted.open());
          claimed.open();
          await new Promise(() => undefined);
          return { done: undefined };
        },
        abandon.signal,
      );
      await claimed.opened;
      stop.abort();
      await pause(20);
      assert.equal((await other.find(['a'])).get('a')?.state, 'running');
      abandon.abort();
      await aborted.opened;
      const attempts: string[] = [];
      harness.start(other, ({ attempt, claims }) => {
        attempts.push(`${attempt} of ${claims}`);
        return Promise.resolve({ done: undefined });
      });
      await eventually('given back', () => attempts.length > 0);
      assert.deepEqual(attempts, ['1 of 2']);
    },
  },
  {
    name: 'untilIdle ends when nothing is due, and a stop ends it before',
    run: async (harness) => {
      const queue = await harness.open();
      await queue.enqueue([job('a', 'x'), job('b', 'x'), job('later', 'y')]);
      const ids: string[] = [];
      await harness.drain(queue, ({ id }) => {
        ids.push(id);
        return Promise.resolve(
          id === 'later' ? { retryInMs: 60_000, error: 'later' } : { done: undefined },
        );
      });
      assert.deepEqual(ids.sort(), ['a', 'b', 'later']);
      await queue.enqueue([job('c', 'z'), job('d', 'z')]);
      const stop = new AbortController();
      const run = () => {
        stop.abort();
        return Promise.resolve({ done: undefined });
      };
      await queue.work(run, { concurrency: 1, signal: stop.signal, untilIdle: true });
      assert.equal((await queue.find(['c'])).get('c')?.state, 'done');
      assert.equal((await queue.find(['d'])).get('d')?.state, 'waiting');
    },
  },
  {
    name: 'a worker goes on after the store was away for two seconds',
    timeoutMs: 30_000,
    run: async (harness) => {
      const queue = await harness.open();
      const seen = new Set<string>();
      harness.start(queue, async ({ id }) => {
        seen.add(id);
        return Promise.resolve({ done: undefined });
      });
      await queue.enqueue([job('before', 'a')]);
      await eventually('before', () => seen.has('before'));
      await harness.engineUnderTest.interrupt(2_000);
      await queue.enqueue([job('after', 'b')]);
      await eventually('after', () => seen.has('after'), harness.settings.takeoverMs + 25_000);
    },
  },
];
