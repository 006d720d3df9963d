/** `retryDeadLetter` and `completeDeadLetter`: run a dead letter of a queue again, or end it. */

import { affectedBy } from './boss.js';
import type { QueueInTransaction } from './end-attempt.js';
import type { RowQueries } from './row-queries.js';
import { keepDoneSeconds, unlimitedRetries, uuidOf, type Row } from './rows.js';

/** Resolves with `false` if the job is no longer a dead letter. */
export async function retryDeadLetter(
  queue: QueueInTransaction,
  rows: RowQueries,
  id: string,
): Promise<boolean> {
  const row = await requeue(queue, rows, id);
  if (row === undefined) return false;
  const { boss, spec, db } = queue;
  await boss.update(
    spec.name,
    { ...row.data, claimsBefore: row.retry_count + 1, failingSince: undefined },
    { id: row.id, retryLimit: unlimitedRetries, startAfter: '0 seconds', db },
  );
  return true;
}

/** Resolves with `false` if the job is no longer a dead letter. */
export async function completeDeadLetter(
  queue: QueueInTransaction,
  rows: RowQueries,
  id: string,
  result: { readonly output: string; readonly outcome: string | undefined },
): Promise<boolean> {
  const row = await requeue(queue, rows, id);
  if (row === undefined) return false;
  const { boss, spec, db } = queue;
  const deleteAfterSeconds = keepDoneSeconds(spec);
  await boss.update(spec.name, undefined, { id: row.id, deleteAfterSeconds, db });
  await boss.complete(spec.name, row.id, result, { includeQueued: true, db });
  await rows.forgetBody(row.id, db);
  return true;
}

/** Makes a dead letter wait. `undefined` if it is none. */
async function requeue(
  { boss, spec, db }: QueueInTransaction,
  rows: RowQueries,
  id: string,
): Promise<Row | undefined> {
  const [row] = await rows.find([uuidOf(spec.name, id)], db);
  if (row?.state !== 'failed') return undefined;
  // Another process may have been faster.
  return affectedBy(await boss.retry(spec.name, row.id, { db })) === 1 ? row : undefined;
}
