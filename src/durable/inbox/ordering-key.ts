/** `createOrderingKeys`: the key of an event. Events with the same key are handled one after the other. */

import type { SafeLogger } from '../../core/logger.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { textRule } from '../queue/check-jobs.js';
import type { EventInboxOptions } from './inbox-options.js';

/** One event that `orderingKey` cannot handle must not stop the intake of all others. */
export function createOrderingKeys(
  orderingKey: EventInboxOptions['orderingKey'],
  logger: SafeLogger,
): (event: MarketEvent) => string {
  // Each poll reads the events of the overlap again.
  const logged = new RecentEvents();

  return (event) => {
    const { public_id: ofOrder } = orderOf(event);
    const usual = ofOrder === undefined || textRule(ofOrder) !== undefined ? event.id : ofOrder;
    if (orderingKey === undefined) return usual;
    try {
      const key: unknown = orderingKey(event);
      const rule = textRule(key);
      if (rule === undefined) return key as string;
      throw new TypeError(`The key ${rule}.`);
    } catch (error) {
      const { id, type } = event;
      if (!logged.has(id)) {
        logger.error('"orderingKey" failed for an event; the default is used.', {
          id,
          type,
          orderingKey: usual,
          error: String(error),
        });
      }
      logged.add(id);
      return usual;
    }
  };
}

/** What an event says about its order. */
export function orderOf({ data }: MarketEvent): {
  readonly public_id?: string | undefined;
  readonly domain?: string | undefined;
} {
  const { order } = data as { order?: unknown };
  const { public_id, domain } = Object(order) as Readonly<Record<string, unknown>>;
  return {
    public_id: typeof public_id === 'string' ? public_id : undefined,
    domain: typeof domain === 'string' ? domain : undefined,
  };
}
