/** The store under the engines of this package: what the worker needs in addition to the public queue. */

import type { DurableQueue } from './engine.js';
import type { ClaimedJob, Job, JobResult } from './job.js';

/** A claim: the job, and the token that fences it. */
export interface Claim
  extends Job, Pick<ClaimedJob<never>, 'attempt' | 'claims' | 'enqueuedAt' | 'failingSince'> {
  readonly token: string;
}

export interface JobStore<Tx, AddTx = Tx> extends Omit<DurableQueue<Tx, AddTx>, 'work'> {
  /** What the cursors of `list` look like. */
  readonly cursorPattern: RegExp;
  /** Claims what is due, oldest first. The attempt is durable before this resolves. */
  claim(limit: number): Promise<Claim[]>;
  /** Renews the leases; gives the tokens that are still valid. */
  renew(tokens: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends an attempt. `false`: the token is no longer valid, nothing was changed. */
  finish(claim: Claim, result: JobResult): Promise<boolean>;
  commit(claim: Claim, write: (tx: Tx) => unknown, output: string | undefined): Promise<void>;
  /** When a claim can next succeed, as far as this store knows. */
  nextDueAt(): Promise<number | undefined>;
}
