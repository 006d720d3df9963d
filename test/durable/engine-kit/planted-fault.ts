/** `planted faults`: engines with one planted fault each, which `engineChecks` must find. */

import { createHash } from 'node:crypto';
import type { DurableQueue, QueueEngine } from '../../../src/durable/queue/engine.js';

type Change = (queue: DurableQueue<unknown>) => Partial<DurableQueue<unknown>>;

const faults = {
  /** Writes the checkpoint before the jobs: what fails between them is lost. */
  checkpointFirst: (queue) => ({
    enqueue: async (jobs, { checkpoint, ...options } = {}) => {
      if (checkpoint !== undefined) await queue.enqueue([], { checkpoint });
      return queue.enqueue(jobs, options);
    },
  }),
  /** Marks a job done before its handler ran: a crash in the handler loses it. */
  doneBeforeHandler: (queue) => ({
    work: (run, options) =>
      queue.work((job) => {
        void run(job).catch(() => undefined);
        return Promise.resolve({ done: undefined });
      }, options),
  }),
  /** Stores a batch in the order of the ids' hashes. */
  hashOrder: (queue) => {
    const hash = (id: string) => createHash('sha256').update(id).digest('hex');
    return {
      enqueue: (jobs, options) =>
        queue.enqueue(
          [...jobs].sort((a, b) => hash(a.id).localeCompare(hash(b.id))),
          options,
        ),
    };
  },
  /** Forgets a job when it is done: its event is handled again at the next overlap. */
  forgetsDone: (queue) => ({
    enqueue: async (jobs, options) => {
      await queue.prune(new Date(Date.now() + 60_000));
      return queue.enqueue(jobs, options);
    },
  }),
  /** Forgets that a job was claimed before, as a restored queue does: the outbox must not believe it. */
  forgetsClaims: (queue) => ({
    work: (run, options) => queue.work((job) => run({ ...job, claims: 1 }), options),
  }),
} satisfies Record<string, Change>;

/** The planted faults of the engines. */
export type PlantedFault = keyof typeof faults;

/** The names of the planted faults. */
export const plantedFaults = Object.keys(faults) as readonly PlantedFault[];

/**
 * A copy of an engine with one planted fault, to see that checks can fail.
 */
export function plantFault<Tx>(
  engine: QueueEngine<Tx>,
  plantedFault: PlantedFault,
): QueueEngine<Tx> {
  return {
    ...engine,
    open: async (spec) => {
      const queue = await engine.open(spec);
      const broken = (faults[plantedFault] as Change)(queue);
      return { ...queue, ...(broken as Partial<DurableQueue<Tx>>) };
    },
  };
}
