/** Faults that a crash test plants, each to see that one of its troubles can be found. */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { plantedFaults, plantFault, type PlantedFault } from '../planted-fault.js';
import { FreshSales } from '../../../../src/durable/outbox/fresh-sales.js';
import type { DurableQueue, QueueEngine } from '../../../../src/durable/queue/engine.js';
import type { Job } from '../../../../src/durable/queue/job.js';

/**
 * - `writesOutside`: a listener writes its effect without `commit`: found by freezing it
 * - `waitsForLocks`: PostgreSQL's take-over and renewal wait for locked rows: found by a lock
 * - `blocksOnLock`: SQLite waits for a locked file in one turn: found by a lock
 * - `trustsClocks`: work waits for times that a wrong clock wrote: found by a wrong clock
 * - `remembersElsewhere`: what was stored is remembered beside the store: found by emptying the store
 * - `forgetsRefunds`: says that a refund is noted before it is sent, and does not note it: found by refunds
 * - `trustsQueue`: believes that nobody has sent what a queue without claims holds: found by forgotten keys
 * - `forgetsLate`: says that a late delivery is stored, and does not store it: found by hidden events
 */
export type CrashFault =
  | PlantedFault
  | 'writesOutside'
  | 'waitsForLocks'
  | 'blocksOnLock'
  | 'trustsClocks'
  | 'remembersElsewhere'
  | 'forgetsRefunds'
  | 'trustsQueue'
  | 'forgetsLate';

/** @param file - a file of the queue's own, outside of the store */
type Change = (queue: DurableQueue<unknown>, file: string) => Partial<DurableQueue<unknown>>;

const changes: Partial<Record<CrashFault, Change>> = {
  trustsClocks: (queue) => ({
    work: (run, options) =>
      queue.work(async (job) => {
        const times = [(await queue.checkpoint())?.at, job.createdAt];
        const latest = Math.max(
          ...times.map((time) => (time === undefined ? 0 : Date.parse(time))),
        );
        const aheadMs = latest - Date.now();
        if (aheadMs > 60_000) return { retryInMs: aheadMs, countsAttempt: false };
        return run(job);
      }, options),
  }),
  remembersElsewhere: (queue, file) => ({
    enqueue: async (jobs: readonly Job[], options) => {
      const known = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
      const fresh = jobs.filter(({ id }) => !known.has(id));
      const result = await queue.enqueue(fresh, options);
      appendFileSync(file, result.added.map((id) => `${id}\n`).join(''));
      return result;
    },
  }),
  forgetsRefunds: (queue) => ({
    enqueue: async (jobs, options) =>
      jobs.some(({ id }) => id.includes(' refund_sent '))
        ? { added: jobs.map(({ id }) => id) }
        : queue.enqueue(jobs, options),
  }),
  trustsQueue: (queue) => {
    FreshSales.prototype.take = () => true;
    return { work: (run, options) => queue.work((job) => run({ ...job, claims: 1 }), options) };
  },
  forgetsLate: (queue) => ({
    enqueue: async (jobs, options) =>
      options?.checkpoint === undefined
        ? { added: jobs.map(({ id }) => id) }
        : queue.enqueue(jobs, options),
  }),
};

/** The engine with the fault. Those of the listener and of the engine's module are planted there. */
export function plantCrashFault(
  engine: QueueEngine<unknown>,
  fault: CrashFault | undefined,
  ledger: string,
): QueueEngine<unknown> {
  if (fault === undefined) return engine;
  if ((plantedFaults as readonly string[]).includes(fault)) {
    return plantFault(engine, fault as PlantedFault);
  }
  const change = changes[fault];
  if (change === undefined) return engine;
  return {
    ...engine,
    open: async (spec) => {
      const queue = await engine.open(spec);
      return { ...queue, ...change(queue, `${ledger}.${spec.name}`) };
    },
  };
}
