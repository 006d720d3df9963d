import { describe, expect, it, vi } from 'vitest';
import type { ClaimedJob } from '../../src/durable/queue/job.js';
import { claimOf, giving, startWorker, untilAborted } from './support/worker-under-test.js';

const keepAll = (tokens: readonly string[]) => Promise.resolve(new Set(tokens));
const keepNone = () => Promise.resolve(new Set<string>());

describe('the lease of a job', () => {
  it('is renewed with the others, and again after a time without any', async () => {
    const waiting = [claimOf('first'), claimOf('second')];
    const renew = vi.fn(keepAll);
    const ends: (() => void)[] = [];
    const run = () =>
      new Promise<{ done: undefined }>((resolve) => ends.push(() => resolve({ done: undefined })));
    const { time, queue, end } = startWorker(
      {
        claim: (limit) => Promise.resolve(waiting.splice(0, limit)),
        enqueue: () => Promise.resolve({ added: ['third'] }),
        renew,
      },
      run,
      { concurrency: 2 },
    );
    await time.advance(10_000);
    expect(renew.mock.calls).toEqual([[['first', 'second']]]);
    for (const endJob of ends) endJob();
    await time.advance(30_000);
    waiting.push(claimOf('third'));
    await queue.enqueue([]);
    await time.advance(10_000);
    expect(renew.mock.calls.slice(1)).toEqual([[['third']]]);
    ends.at(-1)?.();
    await end();
  });

  it('ends with its commit: it is neither renewed as lost nor released, and no result is stored', async () => {
    const finish = vi.fn(() => Promise.resolve(true));
    const commit = () => Promise.resolve();
    const aborted: string[] = [];
    const { time, errors, abandon, working } = startWorker(
      { claim: giving('only'), commit, finish, renew: keepNone },
      async (job) => {
        await job.commit(() => undefined);
        job.signal.addEventListener('abort', () => aborted.push(job.id));
        return untilAborted(job.signal);
      },
    );
    await time.advance(60_000);
    expect(aborted).toEqual([]);
    abandon.abort();
    await working;
    expect(aborted).toEqual(['only']);
    expect(finish).not.toHaveBeenCalled();
    expect(errors).toEqual([]);
  });

  it('stores no result of a job that has committed', async () => {
    const finish = vi.fn(() => Promise.resolve(true));
    const { time, end } = startWorker(
      { claim: giving('only'), commit: () => Promise.resolve(), finish },
      async ({ commit }) => {
        await commit(() => undefined);
        return { done: undefined };
      },
    );
    await time.advance(1_000);
    await end();
    expect(finish).not.toHaveBeenCalled();
  });

  it('is not lost while a second commit is on its way, after one that failed', async () => {
    const commits = [
      () => Promise.reject(new Error('rolled back')),
      () => new Promise<never>(() => undefined),
    ];
    let lostAfterMs: number | undefined;
    const { time, elapsedMs, end } = startWorker(
      { claim: giving('only'), commit: () => commits.shift()!(), renew: keepNone },
      async ({ signal, commit }) => {
        signal.addEventListener('abort', () => (lostAfterMs = elapsedMs()));
        await commit(() => undefined).catch(() => undefined);
        void commit(() => undefined);
        return untilAborted(signal);
      },
    );
    await time.advance(90_000);
    expect(lostAfterMs).toBe(30_000);
    await end();
  });

  it('is the concern of the store in a commit that comes after the result', async () => {
    let late: ClaimedJob<never> | undefined;
    const lost = new Error('the lease is over');
    const { time, end } = startWorker(
      { claim: giving('only'), commit: () => Promise.reject(lost) },
      (job) => {
        late = job;
        return Promise.resolve({ done: undefined });
      },
    );
    await time.advance(1_000);
    await expect(late?.commit(() => undefined)).rejects.toBe(lost);
    await end();
  });
});
