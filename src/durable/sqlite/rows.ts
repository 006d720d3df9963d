/** Converts rows of the job table to claims and records. */

import type { JobRecord, JobState } from '../queue/job.js';
import type { Claim } from '../queue/job-store.js';
import { stateCodes } from './schema.js';

export interface Row {
  readonly seq: number;
  readonly id: string;
  readonly ordering_key: string;
  readonly state: number;
  readonly attempt: number;
  readonly claims: number;
  readonly token: string;
  readonly body: string | null;
  readonly output: string | null;
  readonly outcome: string | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly enqueued_at: number;
  readonly failing_since: number | null;
}

const states = Object.keys(stateCodes) as JobState[];

/** A token ends with the row's number, so the row is found without an index of tokens. */
export function seqOf(token: string): number {
  return Number(token.slice(token.lastIndexOf('.') + 1));
}

export function toClaim(row: Row): Claim {
  const { id, ordering_key: orderingKey, created_at: createdAt, attempt, claims, token } = row;
  return {
    id,
    orderingKey,
    body: row.body ?? '',
    createdAt,
    attempt,
    claims,
    failingSince: row.failing_since === null ? undefined : new Date(row.failing_since),
    enqueuedAt: new Date(row.enqueued_at),
    token,
  };
}

export function toRecord(row: Row): JobRecord {
  const { id, ordering_key: orderingKey, attempt, claims, created_at: createdAt } = row;
  return {
    id,
    orderingKey,
    attempt,
    claims,
    createdAt,
    state: states[row.state] ?? 'waiting',
    enqueuedAt: new Date(row.enqueued_at),
    body: row.body ?? undefined,
    output: row.output ?? undefined,
    outcome: row.outcome ?? undefined,
    error: row.error ?? undefined,
  };
}
