import { EmulatorError } from '../emulator-error.js';
import { Refusal } from '../service/refusal.js';
import type { Account } from './account.js';
import { listedOr404, type Listing } from './inventory.js';
import type { Market } from './market.js';
import { checkPrice } from './prices.js';
import { liveQuote, refuseIfReserved } from './quotes.js';

/** The statuses of an order; the last three are names that the specification leaves open. */
export type OrderStatus =
  | 'EXTERNALLY_PAID'
  | 'TRANSFER_IN_PROGRESS'
  | 'TRANSFER_COMPLETED'
  | 'SETTLED'
  | 'MANUAL_REVIEW'
  | 'REFUNDED'
  | 'CANCELLED';

/** One step of an order's history. */
export interface TimelineEntry {
  readonly status: OrderStatus;
  readonly event: string | null;
  readonly at: string;
  readonly note: string;
}

/** A sale that the partner collected itself. */
export interface Order {
  readonly seq: number;
  readonly public_id: string;
  readonly domain: string;
  status: OrderStatus;
  readonly sale_price_cents: number;
  readonly currency: string;
  readonly created_at: string;
  updated_at: string;
  readonly quote_id: string | undefined;
  readonly external_payment_ref: string | undefined;
  readonly timeline: TimelineEntry[];
  /** What is listed again if the order is undone. */
  readonly listing: Listing;
}

export interface OrderInput {
  readonly domain: string;
  readonly expected_price: number | undefined;
  readonly currency: string | undefined;
  readonly quote_id: string | undefined;
  readonly external_payment_ref: string | undefined;
}

interface Move {
  readonly from: readonly OrderStatus[];
  readonly to: OrderStatus;
  readonly event?: string;
  readonly note: string;
  readonly relists?: true;
}

const beforeDelivery = ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'] as const;

/** The table of specification part 3; source states are this emulator's reading of it. */
const moves = {
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
    relists: true,
  },
  refund: {
    from: [...beforeDelivery, 'TRANSFER_COMPLETED', 'SETTLED'],
    to: 'REFUNDED',
    event: 'order.refunded',
    note: 'Refunded by the service.',
    relists: true,
  },
  cancel: {
    from: beforeDelivery,
    to: 'CANCELLED',
    event: 'order.refunded',
    note: 'Cancelled by the service.',
    relists: true,
  },
} as const satisfies Record<string, Move>;

/** A move of an order from one status to the next. */
export type OrderMove = keyof typeof moves;

/** Records a sale (specification, 4.2). Idempotency is decided before this is called. */
export function recordOrder(market: Market, account: Account, input: OrderInput): Order {
  const inventory = market.inventory(account.environment);
  const quote =
    input.quote_id === undefined
      ? undefined
      : liveQuote(market, account, input.quote_id, input.domain);
  const listing = listedOr404(inventory, input.domain);
  refuseIfReserved(listing, account, market.clock.now());
  const price = quote ?? listing;
  checkPrice(price, input, quote === undefined ? 'the current listing price' : 'the quoted price');

  const now = market.timestamp();
  const order: Order = {
    seq: market.orders.size + 1,
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
    listing,
  };
  inventory.remove(listing.domain);
  account.orders.push(order);
  market.orders.set(order.public_id, { order, account });
  market.emit(account, 'order.recorded', { order: orderInEvent(order) });
  return order;
}

export function canMove(order: Order, name: OrderMove): boolean {
  return (moves[name] as Move).from.includes(order.status);
}

/** Makes a move of the service's staff; an illegal one is the test's mistake and throws. */
export function moveOrder(market: Market, account: Account, order: Order, name: OrderMove): void {
  const move: Move = moves[name];
  if (!canMove(order, name)) {
    throw new EmulatorError(
      `${name} is not possible: order ${order.public_id} is ${order.status}, and must be ${move.from.join(' or ')}`,
    );
  }
  order.status = move.to;
  order.updated_at = market.timestamp();
  order.timeline.push({
    status: move.to,
    event: move.event ?? null,
    at: order.updated_at,
    note: move.note,
  });
  if (move.relists) {
    const listing = { ...order.listing, reserved: undefined };
    const inventory = market.inventory(account.environment);
    if (inventory.find(listing.domain) === undefined) inventory.put(listing);
  }
  if (move.event !== undefined) market.emit(account, move.event, { order: orderInEvent(order) });
}

/** An order of this account, or the documented 404 (rule 6 of 4.2). */
export function ownOrder(market: Market, account: Account, publicId: string): Order {
  const found = market.orders.get(publicId);
  if (found?.account !== account) throw new Refusal('not_found', `There is no order ${publicId}.`);
  return found.order;
}

/** The order as lists and POST /orders give it. */
export function orderOnWire(order: Order) {
  const { public_id, domain, status, sale_price_cents, currency, created_at, updated_at } = order;
  const { quote_id = null, external_payment_ref = null } = order;
  return {
    /** Identifier of the order. */
    public_id,
    /** The domain that was sold. */
    domain,
    /** Where the order stands. */
    status,
    /** Sale price in minor currency units. */
    sale_price_cents,
    /** Currency code, such as `USD`. */
    currency,
    /** When it was recorded, ISO 8601 UTC. */
    created_at,
    /** When it last moved, ISO 8601 UTC. */
    updated_at,
    ...(quote_id === null ? {} : { /** The quote that it was placed with. */ quote_id }),
    ...(external_payment_ref === null
      ? {}
      : { /** The partner's own payment reference. */ external_payment_ref }),
  };
}

/** The order as its detail gives it: with the transfer and the timeline. */
export function orderDetailOnWire(order: Order) {
  const reached = (status: OrderStatus) =>
    order.timeline.find((entry) => entry.status === status)?.at ?? null;
  const started_at = reached('TRANSFER_IN_PROGRESS');
  const completed_at = reached('TRANSFER_COMPLETED');
  const status =
    completed_at !== null ? 'completed' : started_at !== null ? 'in_progress' : 'not_started';
  return {
    ...orderOnWire(order),
    transfer: { status, started_at, completed_at },
    timeline: order.timeline,
  };
}

/** The five documented fields of an order in an event (specification, part 2). */
function orderInEvent({ public_id, domain, status, sale_price_cents, currency }: Order) {
  return { public_id, domain, status, sale_price_cents, currency };
}
