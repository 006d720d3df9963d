import { LeaseLostError } from 'market-partner-sdk/durable';
import { describe, expect, it } from 'vitest';
import type { WorkOptions } from '../../src/durable/queue/engine.js';
import { QueueRunner } from '../../src/durable/queue/queue-runner.js';
import { collectGarbage } from '../support/garbage.js';
import { recordingLogger } from '../support/recording-logger.js';
import { ManualTime } from './support/manual-time.js';
import type { DurableQueue } from '../../src/durable/queue/engine.js';

const dayMs = 86_400_000;
const stopped = 'The queue was stopped. start() and drain() open it again.';
const done = () => Promise.resolve({ done: undefined });
const never = () => new Promise<never>(() => undefined);

/** A runner on an engine that says what it was asked. */
function startRunner({ supervise }: { supervise?: () => Promise<void> } = {}) {
  const time = new ManualTime();
  const { logger, lines } = recordingLogger();
  const seen = { opened: 0, closed: 0, works: [] as WorkOptions[], prunedBefore: [] as Date[] };
  const open = (): DurableQueue => {
    seen.opened += 1;
    const work = (_run: unknown, options: WorkOptions) => {
      seen.works.push(options);
      return untilAborted(options.signal);
    };
    const prune = (before: Date) => Promise.resolve(seen.prunedBefore.push(before));
    const close = () => Promise.resolve(void (seen.closed += 1));
    return { work, prune, close } as unknown as DurableQueue;
  };
  const listQueues = () => Promise.resolve([]);
  const engine = { name: 'tests', listQueues, open: () => Promise.resolve(open()), openSync: open };
  const spec = { name: 'tests', leaseMs: 30_000, keepDoneMs: 10 * dayMs };
  const settings = { concurrency: 4, time: time.options, random: () => 0.5, logger, supervise };
  return { runner: new QueueRunner<never>(engine, spec, settings), time, seen, lines };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

/** Whether a promise has ended, without waiting for it. */
function stateOf(promise: Promise<unknown>) {
  const state = { hasEnded: false };
  void promise.catch(() => undefined).finally(() => (state.hasEnded = true));
  return state;
}

describe('a start', () => {
  it('works once, however often it is called', async () => {
    const { runner, seen } = startRunner();
    await runner.start(done, []);
    await runner.start(done, []);
    expect(seen).toMatchObject({ opened: 1, works: [{ concurrency: 4 }] });
    await runner.stop();
  });

  it('does not begin after a stop that came meanwhile', async () => {
    const { runner, seen } = startRunner();
    const starting = runner.start(done, []);
    const stopping = runner.stop();
    await expect(starting).rejects.toThrow(stopped);
    await stopping;
    expect(seen.works).toEqual([]);
    const signal = runner.resume();
    await runner.stop();
    runner.resume();
    await expect(runner.start(done, [], signal)).rejects.toThrow(stopped);
    await runner.stop();
  });

  it('lets the supervisor call the work', async () => {
    const { runner, seen } = startRunner({ supervise: () => Promise.resolve() });
    await runner.start(done, []);
    expect(seen.works).toEqual([]);
    await runner.stop();
  });

  it('prunes once a day what was done before the time that it keeps', async () => {
    const { runner, time, seen } = startRunner();
    const startedAt = time.nowMs;
    await runner.start(done, []);
    await time.advance(dayMs - 1);
    expect(seen.prunedBefore).toEqual([]);
    await time.advance(1);
    expect(seen.prunedBefore).toEqual([new Date(startedAt - 9 * dayMs)]);
    await runner.stop();
  });

  it('logs a lost lease as a warning, and every other failure as an error', async () => {
    const { runner, seen, lines } = startRunner();
    await runner.start(done, []);
    seen.works[0]?.onError?.(new LeaseLostError('job'));
    seen.works[0]?.onError?.(new Error('store down'));
    const message = 'The engine reported an error; continuing.';
    expect(lines).toMatchObject([
      { level: 'warn', message, fields: { error: String(new LeaseLostError('job')) } },
      { level: 'error', message, fields: { error: 'Error: store down' } },
    ]);
    await runner.stop();
  });
});

describe('a stop', () => {
  it('closes the queue once, and leaves no timer', async () => {
    const { runner, time, seen } = startRunner();
    await runner.start(done, []);
    await Promise.all([runner.stop(), runner.stop()]);
    expect(seen).toMatchObject({ opened: 1, closed: 1 });
    expect(time.sleeping).toBe(0);
    await time.advance(60_000);
    expect(seen.works[0]?.abandonSignal?.aborted).toBe(false);
  });

  it('waits 25 seconds for what runs, then abandons it', async () => {
    const { runner, time, seen } = startRunner();
    await runner.start(done, []);
    const running = runner.run(never);
    const failed = expect(running).rejects.toThrow(stopped);
    const state = stateOf(runner.stop());
    await time.advance(24_999);
    expect(state.hasEnded).toBe(false);
    expect(seen.closed).toBe(0);
    await time.advance(1);
    expect(state.hasEnded).toBe(true);
    expect(seen.closed).toBe(1);
    await failed;
  });

  it('ends what an earlier stop still waits for, from before a start between the two', async () => {
    const { runner, time, seen } = startRunner();
    await runner.start(done, []);
    const failed = expect(runner.run(never)).rejects.toThrow(stopped);
    const earlier = stateOf(runner.stop());
    await runner.start(done, []);
    const later = stateOf(runner.stop(1_000));
    await time.advance(999);
    expect([earlier.hasEnded, later.hasEnded]).toEqual([false, false]);
    await time.advance(1);
    expect([earlier.hasEnded, later.hasEnded]).toEqual([true, true]);
    expect(seen).toMatchObject({ opened: 2, closed: 2 });
    expect(time.sleeping).toBe(0);
    await failed;
  });

  it('waits for a drain', async () => {
    const { runner, time, seen } = startRunner();
    const end = new AbortController();
    const drain = runner.drain(done, end.signal);
    await time.advance(0);
    expect(seen.works).toMatchObject([{ untilIdle: true }]);
    await runner.stop();
    await drain;
    expect(seen.closed).toBe(1);
  });

  it('waits for the jobs of a drain, which go on after it', async () => {
    const { runner, time, seen } = startRunner({
      supervise: () => time.options.sleep(20_000, new AbortController().signal),
    });
    const drain = runner.drain(done, new AbortController().signal);
    await time.advance(1_000);
    const state = stateOf(runner.stop());
    await time.advance(18_999);
    expect([state.hasEnded, seen.closed]).toEqual([false, 0]);
    await time.advance(1);
    expect([state.hasEnded, seen.closed]).toEqual([true, 1]);
    await drain;
  });

  it('ends a drain that has not begun', async () => {
    const { runner, seen } = startRunner();
    const drain = runner.drain(done, new AbortController().signal);
    const failed = expect(drain).rejects.toThrow(stopped);
    await runner.stop();
    await failed;
    expect(seen.works).toEqual([]);
  });

  it('ends a task by its signal, and says so in the place of its failure', async () => {
    const { runner } = startRunner();
    const task = async (signal: AbortSignal) => {
      await untilAborted(signal);
      throw new Error('aborted');
    };
    const failed = expect(runner.run(task)).rejects.toThrow(stopped);
    await runner.stop();
    await failed;
    await expect(runner.run(() => Promise.resolve())).rejects.toThrow(stopped);
  });

  it('leaves the failure of a task that it did not cause', async () => {
    const { runner } = startRunner();
    const failing = () => Promise.reject(new Error('store down'));
    await expect(runner.run(failing)).rejects.toThrow('store down');
    await runner.stop();
  });
});

it('nothing is kept of a task that has run', async () => {
  const { runner } = startRunner();
  const result = new WeakRef(await runner.run(() => Promise.resolve({ events: 1_000 })));
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(result.deref()).toBeUndefined();
  await runner.stop();
});

describe('a queue that was stopped', () => {
  it('is opened again by a call of the partner, and by nothing else', async () => {
    const { runner, seen } = startRunner();
    await runner.queue();
    await runner.stop();
    await expect(runner.queue()).rejects.toThrow(stopped);
    await runner.openQueue();
    await runner.queue();
    expect(seen).toMatchObject({ opened: 2, closed: 1 });
    await runner.stop();
    expect(seen.closed).toBe(2);
  });

  it('is opened again inside of a synchronous transaction, once for all calls', async () => {
    const { runner, seen } = startRunner();
    const queue = runner.openQueueSync();
    expect(runner.openQueueSync()).toBe(queue);
    expect(await runner.queue()).toBe(queue);
    await runner.stop();
    expect(seen).toMatchObject({ opened: 1, closed: 1 });
    expect(runner.openQueueSync()).not.toBe(queue);
    await runner.stop();
    expect(seen).toMatchObject({ opened: 2, closed: 2 });
  });

  it('is closed with the one that was opened beside it', async () => {
    const { runner, seen } = startRunner();
    const opening = runner.queue();
    runner.openQueueSync();
    await opening;
    await runner.stop();
    expect(seen).toMatchObject({ opened: 2, closed: 2 });
  });
});
