/** Orders and their statuses (specification, 4.2 and part 3). */

import { EmulatorError, ServiceError } from '../service-error.js';
import type { Account } from './account.js';
import type { orderFields, Input } from './input.js';
import { requireListing } from './listed.js';
import type { Market } from './market.js';
import { checkPrice } from './prices.js';
import { requireValidQuote, requireNotReserved } from './quotes.js';
import type { EmulatorOrderStatus, StoredOrder } from './records.js';

interface Transition {
  readonly from: readonly EmulatorOrderStatus[];
  /** Absent: the status stays. */
  readonly to?: EmulatorOrderStatus;
  readonly event?: string;
  readonly note: string;
  readonly returnsToInventory?: true;
  /** Of a refund request that waits. */
  readonly needsWaitingRefund?: true;
}

const beforeDelivery = ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'] as const;

/** The table of specification part 3; the source statuses are an assumption of this emulator. */
const transitions = {
  hold: { from: ['EXTERNALLY_PAID'], to: 'MANUAL_REVIEW', note: 'Held for manual review.' },
  clear: {
    from: ['MANUAL_REVIEW'],
    to: 'EXTERNALLY_PAID',
    event: 'order.manual_review_cleared',
    note: 'The hold was cleared; the transfer proceeds.',
  },
  startTransfer: {
    from: ['EXTERNALLY_PAID'],
    to: 'TRANSFER_IN_PROGRESS',
    event: 'order.transfer_started',
    note: 'The domain push has started.',
  },
  completeTransfer: {
    from: ['TRANSFER_IN_PROGRESS'],
    to: 'TRANSFER_COMPLETED',
    event: 'order.transfer_completed',
    note: "The domain was delivered to the partner's registrar.",
  },
  settle: {
    from: ['TRANSFER_COMPLETED'],
    to: 'SETTLED',
    event: 'order.settled',
    note: 'The settlement period closed.',
  },
  refundByPartner: {
    from: beforeDelivery,
    to: 'REFUNDED',
    event: 'order.refunded',
    note: 'Refunded at the request of the partner.',
    returnsToInventory: true,
  },
  refund: {
    from: [...beforeDelivery, 'TRANSFER_COMPLETED', 'SETTLED'],
    to: 'REFUNDED',
    event: 'order.refunded',
    note: 'Refunded by the service.',
    returnsToInventory: true,
  },
  cancel: {
    from: beforeDelivery,
    to: 'CANCELLED',
    event: 'order.refunded',
    note: 'Cancelled by the service.',
    returnsToInventory: true,
  },
  denyRefund: {
    from: [...beforeDelivery, 'TRANSFER_COMPLETED', 'SETTLED'],
    note: 'The refund was denied.',
    needsWaitingRefund: true,
  },
} as const satisfies Record<string, Transition>;

/** The name of a transition of an order. */
export type OrderTransition = keyof typeof transitions;

/** Those that the staff triggers, each by a method of its name in `emulator.admin`. */
export const staffTransitions = [
  'hold',
  'clear',
  'startTransfer',
  'completeTransfer',
  'refund',
  'cancel',
  'denyRefund',
] as const satisfies readonly OrderTransition[];

/** Records a sale (specification, 4.2). Idempotency is decided before this is called. */
export function recordOrder(
  market: Market,
  account: Account,
  input: Input<typeof orderFields>,
): StoredOrder {
  const inventory = market.inventory(account.environment);
  const quote =
    input.quote_id === undefined
      ? undefined
      : requireValidQuote(market, account, input.quote_id, input.domain);
  const listing = requireListing(market, account.environment, input.domain);
  requireNotReserved(listing, account, market.clock.now());
  const price = quote ?? listing;
  checkPrice(price, input, quote === undefined ? 'the current listing price' : 'the quoted price');

  const now = market.timestamp();
  const order: StoredOrder = {
    seq: market.nextSaleSeq(),
    public_id: market.identifiers.next('ord_'),
    domain: listing.domain,
    status: 'EXTERNALLY_PAID',
    sale_price_cents: price.price_cents,
    currency: price.currency,
    created_at: now,
    updated_at: now,
    quote_id: input.quote_id,
    external_payment_ref: input.external_payment_ref,
    timeline: [
      {
        status: 'EXTERNALLY_PAID',
        event: 'order.recorded',
        at: now,
        note: 'The sale was recorded.',
      },
    ],
    visibleAt: market.orderVisibleAt(),
    listing,
  };
  inventory.remove(listing.domain);
  account.orders.push(order);
  market.orders.set(order.public_id, { order, account });
  market.emit(account, 'order.recorded', { order: serializeEventOrder(order) });
  return order;
}

/** The staff's actions that the status of an order allows. */
export function allowedTransitions(order: StoredOrder): OrderTransition[] {
  return staffTransitions.filter((name) => canTransition(order, name));
}

export function canTransition(order: StoredOrder, name: OrderTransition): boolean {
  const { from, needsWaitingRefund }: Transition = transitions[name];
  return from.includes(order.status) && !(needsWaitingRefund && order.refund !== 'waiting');
}

/** Moves an order to its next status; throws if its status does not allow that. */
export function transitionOrder(
  market: Market,
  account: Account,
  order: StoredOrder,
  name: OrderTransition,
): void {
  const transition: Transition = transitions[name];
  if (!canTransition(order, name)) {
    const waiting = transition.needsWaitingRefund ? ' with a refund that waits' : '';
    throw new EmulatorError(
      `${name} is not possible: order ${order.public_id} is ${order.status}, and must be ${transition.from.join(' or ')}${waiting}`,
    );
  }
  const previous = order.status;
  order.status = transition.to ?? previous;
  if (transition.needsWaitingRefund) order.refund = 'denied';
  order.updated_at = market.timestamp();
  order.timeline.push({
    status: order.status,
    event: transition.event ?? null,
    at: order.updated_at,
    note: transition.note,
  });
  if (transition.returnsToInventory && beforeDelivery.some((status) => status === previous)) {
    const listing = { ...order.listing, reserved: undefined };
    const inventory = market.inventory(account.environment);
    if (inventory.find(listing.domain) === undefined) inventory.put(listing);
  }
  if (transition.event !== undefined)
    market.emit(account, transition.event, { order: serializeEventOrder(order) });
}

/** An order of this account, or the documented 404 (rule 6 of 4.2). */
export function requireOrder(market: Market, account: Account, publicId: string): StoredOrder {
  const found = market.orders.get(publicId);
  if (found?.account !== account)
    throw new ServiceError('not_found', `No order ${publicId} exists.`);
  return found.order;
}

/** The order in lists and in the response to POST /orders. */
export function serializeOrder(order: StoredOrder) {
  const { public_id, domain, status, sale_price_cents, currency, created_at, updated_at } = order;
  const { quote_id = null, external_payment_ref = null } = order;
  return {
    /** Identifier of the order. */
    public_id,
    /** The domain that was sold. */
    domain,
    /** Status of the order. */
    status,
    /** Sale price in minor currency units. */
    sale_price_cents,
    /** Currency code, such as `USD`. */
    currency,
    /** When it was recorded, ISO 8601 UTC. */
    created_at,
    /** When its status last changed, ISO 8601 UTC. */
    updated_at,
    ...(quote_id === null ? {} : { /** The quote of the order. */ quote_id }),
    ...(external_payment_ref === null
      ? {}
      : { /** The partner's own payment reference. */ external_payment_ref }),
  };
}

/** The order of GET /orders/{public_id}: with the transfer and the timeline. */
export function serializeOrderDetail(order: StoredOrder) {
  const reached = (status: EmulatorOrderStatus) =>
    order.timeline.find((entry) => entry.status === status)?.at ?? null;
  const started_at = reached('TRANSFER_IN_PROGRESS');
  const completed_at = reached('TRANSFER_COMPLETED');
  const status =
    completed_at !== null ? 'completed' : started_at !== null ? 'in_progress' : 'not_started';
  return {
    ...serializeOrder(order),
    transfer: { status, started_at, completed_at },
    timeline: order.timeline,
  };
}

/** The five documented fields of an order in an event (specification, part 2). */
export function serializeEventOrder({
  public_id,
  domain,
  status,
  sale_price_cents,
  currency,
}: StoredOrder) {
  return { public_id, domain, status, sale_price_cents, currency };
}
