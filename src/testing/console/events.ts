/** Events with their deliveries: each attempt, what came of it, and what still waits. */

import type { DeliveryView, EmulatorView, EventView, PendingDeliveryView } from './wire.js';

export interface EventDeliveries {
  readonly event: EventView;
  /** In the order in which they were made. */
  readonly attempts: readonly DeliveryView[];
  readonly pending: readonly PendingDeliveryView[];
}

/** The latest events first. */
export function eventDeliveries({
  events,
  deliveries,
  pendingDeliveries,
}: Pick<EmulatorView, 'events' | 'deliveries' | 'pendingDeliveries'>): EventDeliveries[] {
  const attempts = groupByEvent(deliveries);
  const pending = groupByEvent(pendingDeliveries);
  return events
    .map((event) => ({
      event,
      attempts: attempts.get(event.id) ?? [],
      pending: pending.get(event.id) ?? [],
    }))
    .reverse();
}

/** One word for a row: the last outcome, or that it waits. */
export function deliveryStatus({ attempts, pending }: EventDeliveries): string {
  if (pending.length > 0) return 'waiting';
  return attempts.at(-1)?.outcome ?? 'not sent';
}

/** What the receiver responded to an attempt. */
export function responseOf({ status, error }: Pick<DeliveryView, 'status' | 'error'>): string {
  return status === undefined ? (error ?? 'no response') : `status ${status}`;
}

function groupByEvent<Item extends { readonly eventId: string }>(
  items: readonly Item[],
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(item.eventId, [...(groups.get(item.eventId) ?? []), item]);
  return groups;
}
