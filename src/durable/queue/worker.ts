/** `createQueue`: a store with workers, which claim jobs, run them and store their results. */

import { LeaseLostError } from '../errors.js';
import type { DurableQueue, WorkOptions } from './engine.js';
import type { ClaimedJob, JobResult } from './job.js';
import type { Claim, JobStore } from './job-store.js';
import { Leases, type Lease } from './leases.js';
import { Notifier, notifyAll } from './notifier.js';
import { checkCursor } from './page.js';
import { startAge, type Time } from '../../core/time/sleep.js';

/** What the workers of one queue share. */
interface WorkerContext<Tx> {
  readonly store: Omit<JobStore<Tx>, 'enqueue' | 'enqueueSync' | 'find'>;
  readonly time: Time;
  readonly leaseMs: number;
  /** How often to look for jobs that other processes stored. */
  readonly pollMs: () => number;
  /** The notifiers of the running workers: an `enqueue` wakes them. */
  readonly notifiers: Set<Notifier>;
}

/** Each holds a lease, which is renewed. */
const mostParked = 200;

/** The pause after the store itself failed. */
const storeFailurePauseMs = 1_000;

export function createQueue<Tx, AddTx = Tx>(
  store: JobStore<Tx, AddTx>,
  settings: { readonly time: Time; readonly leaseMs: number; readonly pollMs: () => number },
  notifiers: Set<Notifier>,
): DurableQueue<Tx, AddTx> {
  const context = { store, notifiers, ...settings };
  const wake = () => notifyAll(notifiers);
  const waking = async (change: Promise<boolean>) => {
    const changed = await change;
    if (changed) wake();
    return changed;
  };
  const { enqueueSync } = store;
  return {
    check: () => store.check?.() ?? Promise.resolve(undefined),
    enqueue: async (jobs, options) => {
      const result = await store.enqueue(jobs, options);
      if (result.added.length > 0) wake();
      return result;
    },
    ...(enqueueSync && {
      enqueueSync: (jobs, tx) => {
        const result = enqueueSync.call(store, jobs, tx);
        if (result.added.length > 0) wake();
        return result;
      },
    }),
    work: (run, options) => new Worker(context, run, options).work(),
    checkpoint: () => store.checkpoint(),
    find: (ids, tx) => store.find(ids, tx),
    list: async (state, options) => {
      checkCursor(options.cursor, store.cursorPattern);
      return store.list(state, options);
    },
    counts: () => store.counts(),
    retry: (id) => waking(store.retry(id)),
    complete: (id, output, outcome) => waking(store.complete(id, output, outcome)),
    prune: (doneBefore) => store.prune(doneBefore),
    close: () => store.close(),
  };
}

class Worker<Tx> {
  readonly #context: WorkerContext<Tx>;
  readonly #run: (job: ClaimedJob<Tx>) => Promise<JobResult>;
  readonly #options: WorkOptions;
  readonly #notifier = new Notifier();
  readonly #leases: Leases;
  /** Results that are being stored: the worker ends after them. */
  readonly #storing = new Set<Promise<unknown>>();
  #parked = 0;
  /** Parked jobs whose wait is over, and for which there was no place. */
  readonly #returning: (() => void)[] = [];

  constructor(
    context: WorkerContext<Tx>,
    run: (job: ClaimedJob<Tx>) => Promise<JobResult>,
    options: WorkOptions,
  ) {
    this.#context = context;
    this.#run = run;
    this.#options = options;
    this.#leases = new Leases({
      store: context.store,
      time: context.time,
      leaseMs: context.leaseMs,
      onError: (error) => options.onError?.(error),
      onLost: (lost) => {
        options.onError?.(lost);
        // There is room for another job.
        this.#letReturn();
        this.#notifier.notify();
      },
    });
  }

  async work(): Promise<void> {
    const { signal, abandonSignal } = this.#options;
    const wake = () => this.#notifier.notify();
    const abandon = () => this.#abandon();
    this.#context.notifiers.add(this.#notifier);
    signal.addEventListener('abort', wake);
    abandonSignal?.addEventListener('abort', abandon);
    try {
      await this.#claimUntilDone();
      while (this.#leases.size > 0) await this.#pause(this.#context.leaseMs);
      while (this.#storing.size > 0) await Promise.all(this.#storing);
    } finally {
      this.#leases.stopRenewing();
      this.#context.notifiers.delete(this.#notifier);
      // The others have not seen what this worker left for later.
      notifyAll(this.#context.notifiers);
      signal.removeEventListener('abort', wake);
      abandonSignal?.removeEventListener('abort', abandon);
    }
  }

  async #claimUntilDone(): Promise<void> {
    const { signal, abandonSignal, concurrency, untilIdle = false } = this.#options;
    while (!signal.aborted && abandonSignal?.aborted !== true) {
      const free = Math.min(this.#free, concurrency + mostParked - this.#leases.size);
      // Read before claiming: a claim that runs while a result is being stored can miss the job that the
      // result unblocks.
      const isQuiet = this.#leases.size === 0 && this.#storing.size === 0;
      // The store counts its leases from a time in the claim: from before it is safe, from after it is not.
      const leaseAge = startAge(this.#context.time);
      const claims = free > 0 ? await this.#claim(free) : [];
      if (claims === undefined) continue;
      // The process was frozen during the claim: other processes may have claimed the same jobs.
      const isOver = leaseAge() >= this.#context.leaseMs;
      // `stop` came while we were claiming: what a job did now would count for nothing, and be done again.
      const isAbandoned = this.#options.abandonSignal?.aborted === true;
      for (const claim of claims) {
        if (isOver) this.#options.onError?.(new LeaseLostError(claim.id));
        else if (isAbandoned) void this.#release(claim);
        else void this.#runJob(this.#leases.hold(claim, leaseAge));
      }
      if (claims.length > 0) continue;
      if (untilIdle && isQuiet) return;
      await this.#pause(free > 0 ? await this.#msUntilDue() : this.#context.leaseMs);
    }
  }

  /** `undefined` after a failure, which is not the same as no jobs: a drain must not end by it. */
  async #claim(limit: number): Promise<readonly Claim[] | undefined> {
    try {
      return await this.#context.store.claim(limit);
    } catch (error) {
      this.#options.onError?.(error);
      await this.#context.time.sleep(storeFailurePauseMs, this.#options.signal);
      return undefined;
    }
  }

  async #msUntilDue(): Promise<number> {
    const { store, time, pollMs } = this.#context;
    try {
      const dueAt = await store.nextDueAt();
      if (dueAt === undefined) return pollMs();
      return Math.min(pollMs(), Math.max(1, dueAt - time.clock()));
    } catch {
      // The next claim reports the same failure.
      return storeFailurePauseMs;
    }
  }

  #pause(ms: number): Promise<void> {
    return this.#notifier.wait(ms, this.#context.time.sleep);
  }

  async #runJob(lease: Lease): Promise<void> {
    const { claim, signal } = lease;
    const commit = async (write: (tx: Tx) => unknown, output?: string) => {
      if (signal.aborted) throw new LeaseLostError(claim.id);
      await this.#leases.commit(lease, () => this.#context.store.commit(claim, write, output));
    };
    const park = (wait: () => Promise<void>) => this.#park(wait);
    const result = await this.#resultOf({ ...withoutToken(claim), signal, commit, park });
    if (this.#leases.end(lease)) void this.#store(claim, result);
    this.#letReturn();
    // Wake after queuing the result, so that one transaction stores it and claims the next job.
    this.#notifier.notify();
  }

  get #free(): number {
    return this.#options.concurrency - (this.#leases.size - this.#parked);
  }

  async #park(wait: () => Promise<void>): Promise<void> {
    this.#parked += 1;
    this.#letReturn();
    this.#notifier.notify();
    try {
      await wait();
    } finally {
      // Before any job that is claimed next.
      const returned = new Promise<void>((resolve) => this.#returning.push(resolve));
      this.#letReturn();
      await returned;
    }
  }

  #letReturn(): void {
    while (this.#free > 0) {
      const next = this.#returning.shift();
      if (next === undefined) return;
      this.#parked -= 1;
      next();
    }
  }

  async #resultOf(job: ClaimedJob<Tx>): Promise<JobResult> {
    try {
      return await this.#run(job);
    } catch (error) {
      this.#options.onError?.(error);
      return { retryInMs: this.#context.leaseMs, error: String(error) };
    }
  }

  /** @returns What `#storing` has until the result is stored. */
  #store(claim: Claim, result: JobResult): Promise<unknown> {
    const { store } = this.#context;
    const stored = store.finish(claim, result).then(
      (isStored) => {
        if (!isStored) this.#options.onError?.(new LeaseLostError(claim.id));
      },
      // The lease expires, and the job runs again.
      (error: unknown) => this.#options.onError?.(error),
    );
    const tracked = stored.finally(() => {
      this.#storing.delete(tracked);
      this.#notifier.notify();
    });
    this.#storing.add(tracked);
    return tracked;
  }

  /** Releases every running job, due at once; its handler's later result is ignored. */
  #abandon(): void {
    for (const { claim, isCommitting } of this.#leases.releaseAll()) {
      const released = this.#release(claim);
      // The store may hold the release until the commit has ended. The worker must not wait that long.
      if (isCommitting) this.#storing.delete(released);
    }
    this.#letReturn();
    this.#notifier.notify();
  }

  #release(claim: Claim): Promise<unknown> {
    return this.#store(claim, { retryInMs: 0, countsAttempt: false });
  }
}

/** Handlers must not see the fencing token. */
function withoutToken(claim: Claim): Omit<Claim, 'token'> {
  const { id, orderingKey, body, createdAt, attempt, claims, failingSince, enqueuedAt } = claim;
  return { id, orderingKey, body, createdAt, attempt, claims, failingSince, enqueuedAt };
}
