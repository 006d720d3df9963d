/** `release` and `moveToDeadLetters`: how an attempt that is not done ends in pg-boss. */

import type { QueueSpec } from '../queue/engine.js';
import type { JobResult } from '../queue/job.js';
import type { Claim } from '../queue/job-store.js';
import { affectedBy, type PgBossLike, type SqlExecutor } from './boss.js';
import { keptForeverSeconds, toAttempt, toData } from './rows.js';

/** A queue, and the transaction that changes it. */
export interface QueueInTransaction {
  readonly boss: PgBossLike;
  readonly spec: QueueSpec;
  readonly db: SqlExecutor;
}

/** Makes the job wait again. `false` if the claim has lost its lease. */
export async function release(
  { boss, spec, db }: QueueInTransaction,
  claim: Claim,
  { retryInMs, error, countsAttempt }: Extract<JobResult, { retryInMs: number }>,
  now: number,
): Promise<boolean> {
  const attempt = toAttempt(claim.token);
  if (affectedBy(await boss.fail(spec.name, attempt, { error }, { db })) !== 1) return false;
  const isFirstFailure = error !== undefined && claim.failingSince === undefined;
  const isUncounted = countsAttempt === false;
  // pg-boss counts every claim. Those that do not count are recorded in the job's data and subtracted.
  const counted = {
    claimsBefore: claim.claims - claim.attempt + (isUncounted ? 1 : 0),
    failingSince: isFirstFailure ? new Date(now) : claim.failingSince,
  };
  const data = isFirstFailure || isUncounted ? toData(claim, counted) : undefined;
  const startAfter = `${retryInMs} milliseconds`;
  await boss.update(spec.name, data, { id: attempt.id, startAfter, db });
  return true;
}

/** `false` if the claim has lost its lease. */
export async function moveToDeadLetters(
  { boss, spec, db }: QueueInTransaction,
  claim: Claim,
  error: string,
): Promise<boolean> {
  const attempt = toAttempt(claim.token);
  const { id } = attempt;
  if (affectedBy(await boss.fail(spec.name, attempt, { error }, { db })) !== 1) return false;
  const kept = { deleteAfterSeconds: keptForeverSeconds, retryLimit: 0 };
  await boss.update(spec.name, undefined, { id, ...kept, db });
  // Without retries left, this one is the last.
  await boss.fail(spec.name, id, { error }, { db });
  return true;
}
