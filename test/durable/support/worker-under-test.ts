/** A worker on a store of which a test gives some functions, in a time of its own. */

import type { WorkOptions } from '../../../src/durable/queue/engine.js';
import type { ClaimedJob, JobResult } from '../../../src/durable/queue/job.js';
import type { Claim, JobStore } from '../../../src/durable/queue/job-store.js';
import { createQueue } from '../../../src/durable/queue/worker.js';
import { ManualTime } from './manual-time.js';

export function startWorker(
  store: Partial<JobStore<never>>,
  run: (job: ClaimedJob<never>) => Promise<JobResult> = () => Promise.resolve({ done: undefined }),
  options: Partial<WorkOptions> = {},
) {
  const time = new ManualTime();
  const startedAt = time.nowMs;
  const [stop, abandon] = [new AbortController(), new AbortController()];
  const claimedAt: number[] = [];
  const errors: string[] = [];
  const whole = {
    finish: () => Promise.resolve(true),
    nextDueAt: () => Promise.resolve(undefined),
    renew: (tokens: readonly string[]) => Promise.resolve(new Set(tokens)),
    ...store,
    claim: (limit: number) => {
      claimedAt.push(time.nowMs - startedAt);
      return store.claim?.(limit) ?? Promise.resolve([]);
    },
  } as unknown as JobStore<never>;
  const settings = { time: time.options, leaseMs: 30_000, pollMs: () => 60_000 };
  const queue = createQueue(whole, settings, new Set());
  const working = queue.work(run, {
    concurrency: 1,
    signal: stop.signal,
    abandonSignal: abandon.signal,
    onError: (error) => errors.push(String(error)),
    ...options,
  });
  const end = async () => {
    stop.abort();
    await time.advance(0);
    await working;
  };
  const elapsedMs = () => time.nowMs - startedAt;
  return { time, queue, stop, abandon, working, claimedAt, errors, end, elapsedMs };
}

/** A claim that gives this job once. */
export const giving = (id: string) => {
  const waiting = [claimOf(id)];
  return () => Promise.resolve(waiting.splice(0));
};

export const untilAborted = (signal: AbortSignal) =>
  new Promise<JobResult>((resolve) =>
    signal.addEventListener('abort', () => resolve({ done: undefined })),
  );

export function claimOf(id: string): Claim {
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
