/** Converts our jobs to rows of pg-boss, and back. */

import { createHash } from 'node:crypto';
import { isDate } from 'node:util/types';
import { hasMethod } from '../../core/schema/options.js';
import type { QueueSpec } from '../queue/engine.js';
import type { Job, JobRecord, JobState } from '../queue/job.js';
import type { Claim } from '../queue/job-store.js';
import type { BossAttempt, BossInsert } from './boss.js';

/** pg-boss counts claims up to the limit of a 32-bit column: no job reaches it. */
export const unlimitedRetries = 1_000_000_000;

/** Waiting jobs and dead letters are never deleted because of their age. */
export const keptForeverSeconds = 10 * 365 * 86_400;

/** The longest that pg-boss takes; the heartbeat ends a lease long before. */
const expireInSeconds = 86_399;

/** What the row's `data` holds. */
export interface RowData {
  readonly id: string;
  readonly orderingKey: string;
  readonly body: string;
  readonly createdAt: string;
  /** Claims that are not attempts: before the last `retry` of a dead letter, or not counted. */
  readonly claimsBefore: number;
  /** ISO 8601. */
  readonly failingSince?: string | undefined;
}

/** A row, with the names that the queries of row-queries.ts give its columns. */
export interface Row {
  readonly id: string;
  readonly state: string;
  /** Without its body once the job has ended with an output. */
  readonly data: Omit<RowData, 'body'> & Partial<Pick<RowData, 'body'>>;
  readonly retry_count: number;
  readonly is_started: boolean;
  readonly created_ms: number;
  /** `created_on` with all its digits, as a cursor has it. */
  readonly created_text: string;
  readonly output: {
    readonly output?: string;
    readonly outcome?: string;
    readonly error?: string;
  } | null;
}

/** A job as `fetch` gives it: in which form its columns come depends on the parsers of the boss's client. */
export interface FetchedJob {
  readonly id: string;
  readonly data: RowData | string;
  readonly retryCount: number | string | bigint;
  readonly createdOn: unknown;
}

/** pg-boss knows jobs by uuid: the same job has the same one in every process. */
export function uuidOf(queue: string, id: string): string {
  const hex = createHash('sha256').update(`${queue}\0${id}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
}

export function toInsert(spec: QueueSpec, job: Job): BossInsert & { readonly data: RowData } {
  return {
    id: uuidOf(spec.name, job.id),
    data: toData(job, { claimsBefore: 0 }),
    singletonKey: toSingletonKey(job.orderingKey),
    retryLimit: unlimitedRetries,
    expireInSeconds,
    heartbeatSeconds: Math.max(1, Math.ceil(spec.leaseMs / 1000)),
    retentionSeconds: keptForeverSeconds,
    deleteAfterSeconds: keepDoneSeconds(spec),
  };
}

export function toData(
  { id, orderingKey, body, createdAt }: Job,
  counted: { readonly claimsBefore: number; readonly failingSince?: Date | undefined },
): RowData {
  const failingSince = counted.failingSince?.toISOString();
  return { id, orderingKey, body, createdAt, claimsBefore: counted.claimsBefore, failingSince };
}

export function keepDoneSeconds({ keepDoneMs }: QueueSpec): number {
  return Math.min(keptForeverSeconds, Math.max(1, Math.ceil(keepDoneMs / 1000)));
}

export function toClaim({ id: uuid, data, retryCount, createdOn }: FetchedJob): Claim {
  const read = typeof data === 'string' ? (JSON.parse(data) as RowData) : data;
  const { id, orderingKey, body, createdAt, claimsBefore, failingSince } = read;
  const claims = Number(retryCount) + 1;
  return {
    id,
    orderingKey,
    body,
    createdAt,
    claims,
    attempt: claims - claimsBefore,
    failingSince: failingSince === undefined ? undefined : new Date(failingSince),
    enqueuedAt: toDate(createdOn),
    token: `${uuid}:${retryCount}`,
  };
}

/**
 * In which form a time comes depends on the parsers of the boss's client. As JSON, the dates of other libraries have
 * their milliseconds; as texts, some do not.
 */
export function toDate(value: unknown): Date {
  if (isDate(value)) return value;
  const plain = hasMethod(value, 'toJSON') ? (value as Pick<Date, 'toJSON'>).toJSON() : value;
  return new Date(typeof plain === 'number' ? plain : String(plain));
}

/** The token of a claim names the attempt that pg-boss checks. */
export function toAttempt(token: string): BossAttempt {
  const at = token.lastIndexOf(':');
  return { id: token.slice(0, at), retryCount: Number(token.slice(at + 1)) };
}

export function toRecord(row: Row): JobRecord {
  const { id, orderingKey, body, createdAt, claimsBefore } = row.data;
  const claims = row.is_started ? row.retry_count + 1 : 0;
  return {
    id,
    orderingKey,
    createdAt,
    body,
    enqueuedAt: new Date(row.created_ms),
    state: toState(row.state),
    attempt: Math.max(0, claims - claimsBefore),
    claims,
    output: row.output?.output,
    outcome: row.output?.outcome,
    error: row.output?.error,
  };
}

export function toState(state: string): JobState {
  if (state === 'active') return 'running';
  if (state === 'completed') return 'done';
  return state === 'failed' ? 'dead' : 'waiting';
}

/** The states of pg-boss for each of our states, and for all but `'done'`. */
export const bossStates: Readonly<Record<JobState | 'open', readonly string[]>> = {
  open: ['created', 'retry', 'active', 'failed'],
  waiting: ['created', 'retry'],
  running: ['active'],
  dead: ['failed'],
  done: ['completed'],
};

/** An index of pg-boss holds at most about 2,700 bytes of a key. */
export function toSingletonKey(orderingKey: string): string {
  if (Buffer.byteLength(orderingKey) <= 500) return orderingKey;
  return `sha256-${createHash('sha256').update(orderingKey).digest('hex')}`;
}
