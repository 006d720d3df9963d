/** Checks of set-up, volume and end. */

import assert from 'node:assert/strict';
import { job, jobs, pause, type Check } from '../engine-harness.js';

export const volumeChecks: readonly Check[] = [
  {
    name: 'a claim is fast behind done jobs and behind a blocked ordering key',
    timeoutMs: 120_000,
    run: async (harness) => {
      const { backlog, claimMs } = harness.settings;
      const queue = await harness.open();
      for (let from = 0; from < backlog; from += 1_000) {
        await queue.enqueue(jobs(1_000, `done${from}-`, (index) => `d${index % 500}`));
      }
      await harness.drain(queue);
      await queue.enqueue([job('dead', 'blocked')]);
      await harness.drain(queue, () => Promise.resolve({ deadLetter: 'stuck' }));
      for (let from = 0; from < backlog; from += 1_000) {
        await queue.enqueue(jobs(1_000, `held${from}-`, () => 'blocked'));
      }
      const times: number[] = [];
      for (let round = 0; round < 20; round += 1) {
        await queue.enqueue([job(`probe${round}`, 'free')]);
        const at = performance.now();
        await harness.drain(queue);
        times.push(performance.now() - at);
      }
      times.sort((a, b) => a - b);
      const median = times[10] ?? Infinity;
      assert.ok(median < claimMs, `claim, run and done took ${median.toFixed(1)} ms`);
      assert.equal((await queue.counts()).waiting, backlog);
    },
  },
  {
    name: 'two instances may open an empty store at once',
    run: async (harness) => {
      const other = await harness.engineUnderTest.another();
      const queues = await Promise.all([
        harness.open({ name: 'a' }),
        harness.open({ name: 'a' }, other),
        harness.open({ name: 'b' }, other),
      ]);
      await Promise.all(queues.map((queue, index) => queue.enqueue([job(`j${index}`)])));
      assert.deepEqual((await harness.drainIds(queues[0])).sort(), ['j0', 'j1']);
    },
  },
  {
    name: 'nothing keeps the process alive after close',
    run: async (harness) => {
      const { engine } = harness.engineUnderTest;
      const limits = { leaseMs: 60_000, keepDoneMs: 60_000 };
      const before = resources();
      const queue = await engine.open({ name: 'closed', ...limits });
      await queue.enqueue([job('a'), job('b')]);
      const stop = new AbortController();
      const working = queue.work(() => Promise.resolve({ retryInMs: 60_000, error: 'later' }), {
        concurrency: 2,
        signal: stop.signal,
      });
      await pause(50);
      stop.abort();
      await working;
      await queue.close();
      const until = Date.now() + 3_000;
      while (resources() > before && Date.now() < until) await pause(20);
      assert.ok(resources() <= before, process.getActiveResourcesInfo().join(', '));
    },
  },
];

/** Timers and connections; those of the test runner are there before and after. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(Timeout|TCP|Pipe)/.test(name)).length;
}
