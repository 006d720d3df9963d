/**
 * `moveQueue`: stores what a queue holds in a queue of another engine, each job in its state. It may be killed and run
 * again. No program may take jobs of either queue meanwhile.
 */

import { startAge, type Time } from '../../core/time/sleep.js';
import type { DurableQueue } from './engine.js';
import type { ClaimedJob, Job, JobRecord, JobResult } from './job.js';
import { pagesIn } from './page.js';

/** How many jobs are in each state. */
export interface MovedJobs {
  readonly done: number;
  readonly dead: number;
  readonly waiting: number;
}

/** Of a job that is done: a program that starts too early cannot read it, so it sends nothing. */
const bodyOfDone = '{}';
/** So that the move does not claim again what it has released. */
const restMs = 60_000;
/** A move that was killed holds leases, and what it released rests. */
const patienceMs = 180_000;
const pauseMs = 1_000;

type Target = Pick<DurableQueue, 'enqueue' | 'find' | 'work'>;

export async function moveQueue(
  from: Pick<DurableQueue, 'list' | 'checkpoint'>,
  to: Target,
  time: Time,
): Promise<MovedJobs> {
  const moved = { done: 0, dead: 0, waiting: 0 };
  for await (const jobs of pagesIn(from, 'done')) {
    await settle(to, jobs, time);
    moved.done += jobs.length;
  }
  const neverClaimed: JobRecord[] = [];
  for await (const jobs of pagesIn(from, 'open')) {
    const claimed = jobs.filter(({ claims }) => claims > 0);
    await settle(to, claimed, time);
    neverClaimed.push(...jobs.filter(({ claims }) => claims === 0));
    const dead = jobs.filter(({ state }) => state === 'dead').length;
    moved.dead += dead;
    moved.waiting += jobs.length - dead;
  }
  // Last, as each claim of the others would take these too. A first claim proves that nobody has sent them.
  await to.enqueue(neverClaimed.map(toJob));
  const checkpoint = await from.checkpoint();
  if (checkpoint !== undefined) await to.enqueue([], { checkpoint });
  return moved;
}

/** Stores jobs, and claims each as often as it was claimed, until it is in its state. */
async function settle(to: Target, jobs: readonly JobRecord[], time: Time): Promise<void> {
  const wanted = new Map(jobs.map((job) => [job.id, job]));
  const ids = [...wanted.keys()];
  const known = await to.find(ids);
  await to.enqueue(jobs.filter(({ id }) => !known.has(id)).map(toJob));
  const { signal } = new AbortController();
  const run = (claimed: ClaimedJob<never>) =>
    Promise.resolve(resultOf(wanted.get(claimed.id), claimed));
  const age = startAge(time);
  for (;;) {
    await to.work(run, { concurrency: 20, signal, untilIdle: true });
    const found = await to.find(ids);
    const other = jobs.find((job) => !isSettled(found.get(job.id), job));
    if (other === undefined) return;
    if (age() > patienceMs) {
      throw new Error(
        `"${other.id}" is ${found.get(other.id)?.state ?? 'missing'} in the new engine, and was ${other.state}. Stop all programs, and run this again.`,
      );
    }
    await time.sleep(pauseMs, signal);
  }
}

function isSettled(found: JobRecord | undefined, { state, claims }: JobRecord): boolean {
  if (state === 'done' || state === 'dead') return found?.state === state;
  // More claims than there were make an outbox look before it believes; fewer would let it send a refund again.
  return found?.state === 'waiting' && found.claims >= claims;
}

function resultOf(
  job: JobRecord | undefined,
  { claims }: Pick<ClaimedJob<never>, 'claims'>,
): JobResult {
  if (job === undefined) return { retryInMs: restMs, countsAttempt: false };
  const { state, output, outcome, error = '' } = job;
  if (state === 'done') return { done: output, outcome };
  if (claims < job.claims) {
    const isUncounted = claims <= job.claims - job.attempt;
    return { retryInMs: 0, ...(isUncounted && { countsAttempt: false }) };
  }
  return state === 'dead' ? { deadLetter: error } : { retryInMs: restMs, error: job.error };
}

function toJob({ id, orderingKey, state, output, body, createdAt }: JobRecord): Job {
  const needsBody = state !== 'done' || output === undefined;
  return { id, orderingKey, createdAt, body: (needsBody ? body : undefined) ?? bodyOfDone };
}
