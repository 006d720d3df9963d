/** The refunds that an inbox has handled: noted where the event is done, read as a part of the books. */

import type { MarketEvent } from '../webhooks/events.js';
import type { QueueEngine } from './queue/engine.js';
import { pagesIn } from './queue/page.js';
import { parseQueueName, type QueueEnvironment } from './queue/queue-names.js';

/** Of a queue that is only read. */
const limits = { leaseMs: 30_000, keepDoneMs: 86_400_000 };

/** What the job of a handled event ends with: it has no body any longer. */
export function handledOutput({ type, data }: MarketEvent): string | undefined {
  const { order } = Object(data) as { order?: { public_id?: unknown } };
  return type === 'order.refunded' ? JSON.stringify({ refunded: order?.public_id }) : undefined;
}

/** The orders whose refund an inbox of this environment has handled, and when it was stored. */
export async function readHandledRefunds(
  engine: QueueEngine<never, never>,
  environment: QueueEnvironment,
): Promise<ReadonlyMap<string, Date>> {
  const refunds = new Map<string, Date>();
  for (const name of await engine.listQueues()) {
    const parts = parseQueueName(name);
    if (parts?.kind !== 'events' || parts.environment !== environment) continue;
    const queue = await engine.open({ name, ...limits });
    try {
      for await (const jobs of pagesIn(queue, 'done')) {
        for (const { output = '', enqueuedAt } of jobs) {
          const [, order] = /^\{"refunded":"([^"\\]+)"\}$/.exec(output) ?? [];
          if (order !== undefined) refunds.set(order, enqueuedAt);
        }
      }
    } finally {
      await queue.close();
    }
  }
  return refunds;
}
