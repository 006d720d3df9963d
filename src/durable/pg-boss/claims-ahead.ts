/** `ClaimsAhead`: jobs that a busy worker claimed before it has room for them. */

import type { Claim } from '../queue/job-store.js';

/** A claim reads every waiting job, so a worker with a backlog claims as many as it can finish in this time. */
const aheadMs = 250;

/** A job that a process holds when it is killed loses an attempt, whether it was started or not. */
const mostAhead = 56;

interface ClaimAhead extends Claim {
  readonly leaseAge: () => number;
}

export class ClaimsAhead {
  readonly #leaseMs: number;
  #claims: ClaimAhead[] = [];
  /** The latest batch that was claimed: its age, its size, and whether there were more first claims. */
  #latest = { age: () => Infinity, count: 0, isBacklog: false };

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** How many jobs to claim if there is room for `limit`. */
  batchSize(limit: number): number {
    const { age, count, isBacklog } = this.#latest;
    if (!isBacklog) return limit;
    const perMs = count / Math.max(1, age());
    return limit + Math.min(mostAhead, Math.floor(perMs * aheadMs));
  }

  /**
   * Keeps what is more than `limit` of a batch, and returns the others.
   *
   * @param age - how many milliseconds ago the batch was claimed
   */
  keep(batch: readonly Claim[], limit: number, asked: number, age: () => number): Claim[] {
    // A job that was claimed before may be what killed a process: its neighbors wait in the store.
    const isBacklog = batch.length === asked && batch.every(({ claims }) => claims === 1);
    this.#latest = { age, count: batch.length, isBacklog };
    // Added, not replaced: two workers of a queue may claim at the same time.
    this.#claims.push(...batch.slice(limit).map((claim) => ({ ...claim, leaseAge: age })));
    return batch.slice(0, limit);
  }

  /** Up to `limit` of them, with the age of their lease. Those whose lease is a quarter gone are left out. */
  take(limit: number): Claim[] {
    const taken = this.#claims
      .filter(({ leaseAge }) => leaseAge() <= this.#leaseMs / 4)
      .slice(0, limit);
    this.#claims = this.#claims.filter((claim) => !taken.includes(claim));
    return taken;
  }

  /** All that are left, to be released. */
  takeAll(): Claim[] {
    return this.#claims.splice(0);
  }
}
