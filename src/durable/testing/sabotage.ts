/** `sabotagedEngines`: engines with one planted defect each, which `engineChecks` must find. */

import { createHash } from 'node:crypto';
import type { DurableEngine, DurableQueue } from '../engine/engine.js';

type Sabotage = (queue: DurableQueue<unknown>) => Partial<DurableQueue<unknown>>;

const sabotages = {
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
  /** Forgets that a job was claimed before: the outbox then believes a refusal of its repeat. */
  forgetsClaims: (queue) => ({
    work: (run, options) => queue.work((job) => run({ ...job, claims: 1 }), options),
  }),
} satisfies Record<string, Sabotage>;

/** The planted defects of the engines. */
export type EngineSabotage = keyof typeof sabotages;

/** The names of the planted defects. */
export const engineSabotages = Object.keys(sabotages) as readonly EngineSabotage[];

/**
 * A copy of an engine with one planted defect, to see that checks can fail.
 *
 * @example
 * ```ts
 * import { memoryEngine } from 'market-partner-sdk/durable';
 * import { sabotageEngine } from 'market-partner-sdk/durable/testing';
 *
 * const engine = sabotageEngine(memoryEngine(), 'hashOrder');
 * ```
 */
export function sabotageEngine<Tx>(
  engine: DurableEngine<Tx>,
  sabotage: EngineSabotage,
): DurableEngine<Tx> {
  return {
    ...engine,
    open: async (spec) => {
      const queue = await engine.open(spec);
      const broken = (sabotages[sabotage] as Sabotage)(queue);
      return { ...queue, ...(broken as Partial<DurableQueue<Tx>>) };
    },
  };
}
