/** `roundsOf`: batches that one transaction of pg-boss stores in their order. */

import type { Job } from '../queue/job.js';

/**
 * Splits a batch so that each part has an ordering key once. pg-boss orders by the time of the
 * transaction, then by uuid: two jobs of one key in one transaction would lose their order.
 */
export function roundsOf(jobs: readonly Job[]): Job[][] {
  const rounds: Job[][] = [];
  const seen = new Set<string>();
  const roundOfKey = new Map<string, number>();
  for (const job of jobs) {
    if (seen.has(job.id)) continue;
    seen.add(job.id);
    const index = roundOfKey.get(job.orderingKey) ?? 0;
    roundOfKey.set(job.orderingKey, index + 1);
    (rounds[index] ??= []).push(job);
  }
  return rounds;
}
