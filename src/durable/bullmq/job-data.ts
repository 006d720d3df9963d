/** How a job of ours is a job of BullMQ, and back. */

import { createHash } from 'node:crypto';
import type { QueueSpec } from '../engine/engine.js';
import type { Job, JobRecord, JobState } from '../engine/job.js';
import type { Claim } from '../engine/job-store.js';
import type { BullBulkJob, BullJobLike, BullState } from './bullmq.js';

/** What a job's `data` holds. */
export interface JobData extends Job {
  /** The job's place in its batch: jobs of one batch have one timestamp. */
  readonly index: number;
  /** The job's place among those of its held ordering key, once it has one. */
  readonly place?: number | undefined;
  /** Fetches that were no attempts: the job was parked. */
  readonly parked?: number | undefined;
  /** Claims before the last `retry` of a dead letter. */
  readonly claimsBefore?: number | undefined;
  /** Why the last attempt failed. */
  readonly error?: string | undefined;
  /** What a person ended the dead letter with: the next worker that fetches it completes it. */
  readonly settled?: string | undefined;
}

/** The states of BullMQ that a state of ours stands for. */
export const bullStates: Readonly<Record<JobState, readonly BullState[]>> = {
  waiting: ['wait', 'prioritized', 'delayed'],
  running: ['active'],
  dead: ['failed'],
  done: ['completed'],
};

/** A longer id is hashed: it would make every key of the job longer. */
const longestPlainId = 150;

/** BullMQ refuses numbers and colons as ids: the same job has the same id in every process. */
export function jobIdOf(id: string): string {
  if (Buffer.byteLength(id) > longestPlainId) return `h-${hashOf(id).toString('base64url')}`;
  return `e-${Buffer.from(id).toString('base64url')}`;
}

/** A short name of an ordering key, without colons. */
export function keyNameOf(orderingKey: string): string {
  return hashOf(orderingKey).toString('base64url').slice(0, 22);
}

export function shardOf(orderingKey: string, shards: number): number {
  return hashOf(orderingKey).readUInt32BE() % shards;
}

export function toBulkJob(
  { id, orderingKey, body, createdAt }: Job,
  index: number,
  storedBy: string,
  { keepDoneMs }: QueueSpec,
): BullBulkJob {
  const data: JobData = { id, orderingKey, body, createdAt, index };
  return {
    // Dashboards show the name.
    name: id,
    data,
    // eslint-disable-next-line id-denylist -- BullMQ's name
    opts: {
      ...{ jobId: jobIdOf(id), attempts: 1, stackTraceLimit: 0, storedBy },
      removeOnComplete: { age: Math.max(1, Math.ceil(keepDoneMs / 1_000)) },
      removeOnFail: false,
    },
  };
}

export function dataOf(job: BullJobLike): JobData {
  return job.data as JobData;
}

/** Claims since `enqueue`: BullMQ counts fetches. */
export function claimsOf(job: BullJobLike): number {
  return job.attemptsStarted - (dataOf(job).parked ?? 0);
}

export function toClaim(job: BullJobLike, token: string): Claim {
  const { id, orderingKey, body, createdAt, claimsBefore = 0 } = dataOf(job);
  const claims = claimsOf(job);
  return {
    ...{ id, orderingKey, body, createdAt, token, claims },
    attempt: claims - claimsBefore,
    enqueuedAt: new Date(job.timestamp),
  };
}

export function toRecord(job: BullJobLike, bullState: string): JobRecord {
  const { id, orderingKey, body, createdAt, claimsBefore = 0, settled, error } = dataOf(job);
  const { output } = Object(job.returnvalue) as { output?: string };
  return {
    ...{ id, orderingKey, createdAt, body, state: toState(bullState, settled) },
    attempt: Math.max(0, claimsOf(job) - claimsBefore),
    enqueuedAt: new Date(job.timestamp),
    output: output ?? (bullState === 'failed' ? undefined : settled),
    error: job.failedReason ?? error,
  };
}

function toState(bullState: string, settled: string | undefined): JobState {
  if (bullState === 'completed') return 'done';
  // A dead letter that is marked as settled and was not requeued: the process died between.
  if (bullState === 'failed') return 'dead';
  if (settled !== undefined) return 'done';
  return bullState === 'active' ? 'running' : 'waiting';
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
