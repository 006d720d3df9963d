/** Events with their deliveries: each attempt with its result, and what is still pending. */

import type { DeliveryView, EmulatorView, EventView, PendingDeliveryView } from './wire.js';

export interface EventDeliveries {
  readonly event: EventView;
  /** In the order in which they were made. */
  readonly attempts: readonly DeliveryView[];
  readonly pending: readonly PendingDeliveryView[];
}

/** The order that an event is about, as far as the page shows it. */
export interface EventOrder {
  readonly public_id?: string;
  readonly domain?: string;
}

export function orderOf({ data }: EventView): EventOrder {
  return typeof data.order === 'object' && data.order !== null ? data.order : {};
}

/** Several deliveries of one event can be first attempts: a doubled one, or one that was sent again. */
export function attemptTitles(attempts: readonly DeliveryView[]): string[] {
  return attempts.map(({ attempt }, at) => {
    const copy = attempts.slice(0, at).filter((each) => each.attempt === attempt).length + 1;
    return copy === 1 ? `attempt ${attempt}` : `attempt ${attempt}, copy ${copy}`;
  });
}

/** The most likely cause of a refused delivery. */
export function deliveryHint({ status, outcome }: DeliveryView): string | undefined {
  if (outcome !== 'failed' || status === undefined) return undefined;
  if (status === 400 || status === 401 || status === 403) {
    return 'Most often the secret of the receiver is not the one that was registered, or a framework changed the body before its signature was checked.';
  }
  if (status === 404) return 'The receiver has no route at this path.';
  return undefined;
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
