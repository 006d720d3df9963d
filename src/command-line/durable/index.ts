/** What the commands do with an engine; loaded only by those that need one. */

import type { MarketClient } from '../../client/client.js';
import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import { resolveTime } from '../../core/time/sleep.js';
import {
  moveQueue,
  reconcileOutbox,
  useQueue,
  type DurableQueue,
  type MovedJobs,
} from '../../durable/operator.js';
import { discardEvents, listDeadLetters, readStatus, retryDeadLetters } from './actions.js';
import type { Action, ActionOptions, ActionResult } from './actions.js';
import { selectConsumers, type Selection } from './consumers.js';
import { withEngine, type EngineRequest } from './open-engine.js';

export { ddlOf } from './open-engine.js';
export type { ActionOptions };

const actions = {
  status: readStatus,
  'dead-letters': listDeadLetters,
  retry: retryDeadLetters,
  discard: discardEvents,
} satisfies Readonly<Record<string, Action>>;

type EngineAddress = Omit<EngineRequest, 'writes'>;

export type ActionName = keyof typeof actions;

export function runAction(
  name: ActionName,
  address: EngineAddress,
  selection: Selection,
  options: ActionOptions,
): Promise<ActionResult> {
  const writes = name === 'retry' || name === 'discard';
  return withEngine({ ...address, writes }, async (engine) => {
    const result = await actions[name](await selectConsumers(engine, selection), options);
    return name === 'status'
      ? { ...result, json: { engine: engine.name, ...result.json } }
      : result;
  });
}

/** Stores what the inboxes and outboxes of an engine hold in another one. */
export async function moveEngine(
  from: EngineAddress,
  to: EngineAddress,
  selection: Selection,
): Promise<ActionResult> {
  return withEngine({ ...from, writes: false }, (source) =>
    withEngine({ ...to, writes: true, creates: true }, async (target) => {
      const chosen = (await selectConsumers(source, selection)).map(({ queue }) => queue);
      const queues: ({ readonly queue: string } & MovedJobs)[] = [];
      for (const queue of [...(await source.listQueues())].sort()) {
        if (!chosen.includes(queue.replace(/-verdicts$/, '-orders'))) continue;
        const move = (old: DurableQueue) =>
          useQueue(target, queue, (found) => moveQueue(old, found, resolveTime({})));
        queues.push({ queue, ...(await useQueue(source, queue, move)) });
      }
      const lines = queues.map(
        ({ queue, done, dead, waiting }) =>
          `${queue}: ${done} done, ${dead} that need manual review, ${waiting} waiting`,
      );
      return { json: { queues }, lines };
    }),
  );
}

/**
 * Reconciles the one outbox of the client's environment, or of a queue whose name has no environment.
 *
 * @throws {@link Error} unless there is exactly one.
 */
export function reconcileEngine<T>(
  address: EngineAddress & { readonly name: string | undefined },
  market: MarketClient,
  books: Omit<BooksToReconcile, 'sales'>,
  options: ReconcileOptions,
  use: (comparison: Reconciliation) => Promise<T>,
): Promise<T> {
  const { name, ...where } = address;
  return withEngine({ ...where, writes: false }, async (engine) => {
    const all = (await selectConsumers(engine, { name })).filter(({ kind }) => kind === 'orders');
    const own = all.filter(({ environment }) => environment === market.environment);
    const found = own.length > 0 ? own : all.filter(({ environment }) => environment === 'any');
    const [outbox, ...others] = found;
    if (outbox === undefined) throw new Error('There is no outbox of this credential.');
    if (others.length > 0) {
      const queues = found.map(({ queue }) => queue).join(', ');
      throw new Error(`There are several outboxes; choose one by "--name": ${queues}`);
    }
    return outbox.useOutbox((store) => use(reconcileOutbox(store, market.orders, books, options)));
  });
}
