/** The engines with the inside that inboxes and outboxes use, which their public types hide. */

import {
  memoryEngine as memory,
  sqliteEngine as sqlite,
  type DurableEngine,
} from 'market-partner-sdk/durable';
import type { DurableQueue, QueueEngine } from '../../../src/durable/queue/engine.js';

export const queueEngine = <Tx, AddTx>(engine: DurableEngine<Tx, AddTx>) =>
  engine as QueueEngine<Tx, AddTx>;

export const memoryEngine = (...args: Parameters<typeof memory>) => queueEngine(memory(...args));
export const sqliteEngine = (...args: Parameters<typeof sqlite>) => queueEngine(sqlite(...args));

/** The engine, some of whose queues, those with this end of their name, do something otherwise. */
export function withQueues(
  engine: QueueEngine,
  change: (queue: DurableQueue) => Partial<DurableQueue>,
  nameEnd = '',
): QueueEngine {
  const open: QueueEngine['open'] = async (spec) => {
    const queue = await engine.open(spec);
    return spec.name.endsWith(nameEnd) ? { ...queue, ...change(queue) } : queue;
  };
  return { ...engine, open };
}
