/** `Leases`: the jobs that a worker holds. It renews their leases and aborts a job that lost its own. */

import { LeaseLostError } from '../errors.js';
import type { Claim, JobStore } from './job-store.js';
import { startAge, type Time } from '../../core/time/sleep.js';

/** A job that this worker runs. */
export interface Lease {
  readonly claim: Claim;
  /** Fires when the lease is lost or released. */
  readonly signal: AbortSignal;
}

interface HeldLease extends Lease {
  readonly controller: AbortController;
  /** How many milliseconds ago the lease began, or was renewed. */
  age: () => number;
  /** Commits that are under way. */
  commits: number;
  /** Done by `commit`: the store has no lease any longer, and no result is to be stored. */
  isCommitted: boolean;
}

interface LeasesContext {
  readonly store: Pick<JobStore<never>, 'renew'>;
  readonly time: Time;
  readonly leaseMs: number;
  /** Receives each failure of a renewal. */
  readonly onError: (error: unknown) => void;
  /** Called after the job of a lost lease was aborted. */
  readonly onLost: (lost: LeaseLostError) => void;
}

export class Leases {
  readonly #context: LeasesContext;
  readonly #held = new Map<string, HeldLease>();
  #renewal: AbortController | undefined;

  constructor(context: LeasesContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Holds a claimed job and renews its lease until `end`. */
  hold(claim: Claim, age: () => number): Lease {
    const controller = new AbortController();
    const { signal } = controller;
    const held = { claim, signal, controller, age, commits: 0, isCommitted: false };
    this.#held.set(claim.token, held);
    void this.#renewAll();
    return { claim, signal };
  }

  /** Runs a commit, which makes the job done and ends its lease in the store, too. */
  async commit({ claim }: Lease, write: () => Promise<void>): Promise<void> {
    const held = this.#held.get(claim.token);
    if (held === undefined) return write();
    held.commits += 1;
    try {
      await write();
      held.isCommitted = true;
    } finally {
      held.commits -= 1;
    }
  }

  /** Lets go of a job that has run. @returns Whether its result is to be stored. */
  end({ claim }: Lease): boolean {
    const held = this.#held.get(claim.token);
    this.#held.delete(claim.token);
    return held?.isCommitted === false;
  }

  /** Aborts all jobs. @returns The claims to release, and whether a commit of theirs is under way. */
  releaseAll(): { readonly claim: Claim; readonly isCommitting: boolean }[] {
    const released = [...this.#held.values()];
    this.#held.clear();
    for (const { claim, controller } of released) controller.abort(new LeaseLostError(claim.id));
    return released
      .filter(({ isCommitted }) => !isCommitted)
      .map(({ claim, commits }) => ({ claim, isCommitting: commits > 0 }));
  }

  stopRenewing(): void {
    this.#renewal?.abort();
  }

  /** Renews every lease at a third of its time, as long as there are any. */
  async #renewAll(): Promise<void> {
    if (this.#renewal !== undefined) return;
    const renewal = (this.#renewal = new AbortController());
    const { time, leaseMs } = this.#context;
    for (;;) {
      await time.sleep(leaseMs / 3, renewal.signal);
      if (this.#held.size === 0 || renewal.signal.aborted) break;
      await this.#renewOnce();
    }
    this.#renewal = undefined;
  }

  async #renewOnce(): Promise<void> {
    const { store, time, leaseMs, onError } = this.#context;
    const tokens = [...this.#held.keys()];
    // A lease counts from before its renewal: the store's clock may have started at any time since.
    const age = startAge(time);
    const renewed = store.renew(tokens).catch((error: unknown) => {
      onError(error);
      return undefined;
    });
    // Do not wait longer than the earliest lease: a hanging store must not hide its expiry from the handlers.
    const valid = await this.#untilFirstExpiry(renewed);
    for (const token of tokens) {
      const held = this.#held.get(token);
      // A commit ends the lease itself, so the store no longer knows its token.
      if (held === undefined || held.isCommitted) continue;
      // Without a response nothing is known about the lease, nor while the response to a commit is on its way.
      const isUnknown = valid === undefined || held.commits > 0;
      if (valid?.has(token) === true) held.age = age;
      else if (!isUnknown || held.age() >= leaseMs) this.#lose(held);
    }
  }

  /** `undefined` if the first lease expires before the store responds. */
  async #untilFirstExpiry<T>(renewed: Promise<T>): Promise<T | undefined> {
    const { time, leaseMs } = this.#context;
    const responded = new AbortController();
    const oldest = Math.max(...[...this.#held.values()].map(({ age }) => age()));
    const expired = time.sleep(leaseMs - oldest, responded.signal).then(() => undefined);
    try {
      return await Promise.race([renewed, expired]);
    } finally {
      responded.abort();
    }
  }

  #lose({ claim, controller }: HeldLease): void {
    this.#held.delete(claim.token);
    const lost = new LeaseLostError(claim.id);
    controller.abort(lost);
    this.#context.onLost(lost);
  }
}
