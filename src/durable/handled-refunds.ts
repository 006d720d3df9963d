/** The refunds that an inbox has handled: noted where the event is done, read as a part of the books. */

import type { MarketEvent } from '../webhooks/events.js';
import type { QueueEngine } from './queue/engine.js';
import { pagesIn } from './queue/page.js';
import { parseQueueName, type QueueEnvironment } from './queue/queue-names.js';
import { useQueue } from './queue/use-queue.js';

/** What the job of a handled event ends with: it has no body any longer. */
export function handledOutput({ type, data }: MarketEvent): string | undefined {
  const { order } = Object(data) as { order?: { public_id?: unknown } };
  return type === 'order.refunded' ? JSON.stringify({ refunded: order?.public_id }) : undefined;
}

/** The orders whose refund an inbox of this environment has handled, and when it was stored. */
export async function readHandledRefunds(
  engine: QueueEngine,
  environment: QueueEnvironment,
): Promise<ReadonlyMap<string, Date>> {
  const refunds = new Map<string, Date>();
  for (const name of await engine.listQueues()) {
    const parts = parseQueueName(name);
    if (parts?.kind !== 'events' || parts.environment !== environment) continue;
    await useQueue(engine, name, async (queue) => {
      for await (const jobs of pagesIn(queue, 'done')) {
        for (const { output = '', enqueuedAt } of jobs) {
          const [, order] = /^\{"refunded":"([^"\\]+)"\}$/.exec(output) ?? [];
          if (order !== undefined) refunds.set(order, enqueuedAt);
        }
      }
    });
  }
  return refunds;
}
