/** Books with planted defects: sales, the orders of the service, and what a comparison must find. */

import type { FindingKind, Order, SaleInBooks, SettlementStatement } from 'market-partner-sdk';
import type { Random } from '../simulation/random.js';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const nowMs = Date.parse('2026-11-21T12:00:00Z');
export const graceMs = 15 * 60_000;
export const stuckAfterMs = 20 * dayMs;

/** A finding as the judge compares it: `amount_differs payment-7`. */
export type Expected = `${FindingKind} ${string}`;

export interface Books {
  readonly fromMs: number;
  readonly sales: SaleInBooks[];
  readonly orders: Order[];
  readonly statements: SettlementStatement[];
  readonly expected: Expected[];
  /** The names of the planted defects. */
  readonly planted: string[];
}

interface Pair {
  readonly sale: SaleInBooks;
  readonly order: Order;
}

/** Changes a matching pair into a defect, and says what must be found. */
type Defect = (pair: Pair, books: Books, random: Random) => Expected;

const milestones = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'];
const iso = (ms: number) => new Date(ms).toISOString();

/** Books of up to 200 sales with `count` defects of the given ones. */
export function makeBooks(
  random: Random,
  defects: Readonly<Record<string, Defect>>,
  count: number,
) {
  const fromMs = nowMs - random.integer(2, 6) * dayMs;
  const books: Books = {
    fromMs,
    sales: [],
    orders: [],
    statements: [],
    expected: [],
    planted: [],
  };
  const size = random.integer(count, 200);
  const pairs = Array.from({ length: size }, (_, at) => makePair(random, at, fromMs));
  for (const [at, pair] of pairs.entries()) {
    const { sale, order } = pair;
    // A defect is planted inside the window.
    const name = at < count ? random.pick(Object.keys(defects)) : undefined;
    if (name === undefined) disguise(pair, random, fromMs);
    books.sales.push(sale);
    books.orders.push(order);
    if (name === undefined) continue;
    books.planted.push(name);
    books.expected.push(defects[name]!(pair, books, random));
  }
  shuffle(books.sales, random);
  return books;
}

/** A sale inside the window and its order, which agree. */
function makePair(random: Random, at: number, fromMs: number): Pair {
  const key = `payment-${String(at).padStart(4, '0')}`;
  const startedMs = random.integer(fromMs + hourMs, nowMs - hourMs);
  const price = random.integer(1, 900) * 100;
  const status = random.pick(milestones);
  const createdMs = startedMs + random.integer(1, 60) * 1_000;
  const order: Order = {
    public_id: `ord_${String(random.integer(0, 9_999_999)).padStart(7, '0')}${String(at).padStart(4, '0')}`,
    domain: `name-${at}.example`,
    status,
    sale_price_cents: price,
    currency: 'USD',
    created_at: iso(createdMs),
    updated_at: iso(Math.min(nowMs, createdMs + random.integer(0, 3 * hourMs))),
    external_payment_ref: key,
  };
  const sale: SaleInBooks = {
    input: {
      domain: order.domain,
      expected_price: price,
      currency: 'USD',
      external_payment_ref: key,
    },
    idempotencyKey: random.chance(0.8) ? key : `key-of-${key}`,
    startedAt: random.pick<SaleInBooks['startedAt']>([
      iso(startedMs),
      startedMs,
      new Date(startedMs),
    ]),
    state: 'placed',
    status: random.chance(0.7) ? status : undefined,
    publicId: random.chance(0.7) ? order.public_id : undefined,
  };
  return { sale, order };
}

/** Makes a pair that agrees look as if it did not. Nothing may be found. */
function disguise({ sale, order }: Pair, random: Random, fromMs: number): void {
  const disguises: (() => void)[] = [
    () => (order.currency = 'usd'),
    () => (order.created_at = iso(Date.parse(order.created_at ?? '') - 10 * 60_000)),
    () => (order.created_at = iso(Date.parse(order.created_at ?? '') + 10 * 60_000)),
    () => (order.domain = order.domain.toUpperCase()),
    () => order.status === 'EXTERNALLY_PAID' && delete order.updated_at,
    () => delete order.external_payment_ref && (sale.publicId = order.public_id),
    () => {
      // A second before the window, with an order inside it.
      sale.startedAt = fromMs - 1_000;
      order.created_at = iso(fromMs + 1_000);
      order.sale_price_cents += 100;
    },
    () => {
      sale.startedAt = nowMs - 60_000;
      order.created_at = iso(nowMs - 30_000);
      sale.state = 'placed';
    },
    () => {
      sale.state = 'refused';
      order.status = random.pick(['REFUNDED', 'CANCELLED', 'CANCELED']);
    },
    () => {
      order.status = 'REFUNDED';
      sale.status = 'SETTLED';
      sale.refundedAt = nowMs - hourMs;
    },
  ];
  if (random.chance(0.5)) random.pick(disguises)();
}

function shuffle(items: unknown[], random: Random): void {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = random.integer(0, at);
    [items[at], items[other]] = [items[other], items[at]];
  }
}

function removeOrder({ order }: Pair, { orders }: Books): void {
  orders.splice(orders.indexOf(order), 1);
}

function removeSale({ sale }: Pair, { sales }: Books): void {
  sales.splice(sales.indexOf(sale), 1);
}

/** Another order like this one. */
function addTwin({ order }: Pair, { orders }: Books, change: Partial<Order>): Order {
  const twin = { ...order, public_id: `${order.public_id}-2`, ...change };
  orders.push(twin);
  return twin;
}

/** Each kind of finding, in several disguises. */
export const defects: Readonly<Record<string, Defect>> = {
  'placed, and no order': (pair, books) => {
    removeOrder(pair, books);
    return `missing_at_service ${pair.sale.idempotencyKey}`;
  },
  'open, and no order': (pair, books) => {
    removeOrder(pair, books);
    pair.sale.state = 'open';
    pair.sale.publicId = undefined;
    return `missing_at_service ${pair.sale.idempotencyKey}`;
  },
  'no order, but one of another sale at its price': (pair, books) => {
    pair.order.external_payment_ref = 'somebody-else';
    pair.sale.publicId = undefined;
    const { created_at: createdAt = '' } = pair.order;
    books.expected.push(`unknown_here ${pair.order.public_id}`);
    books.planted.push('an order of another program');
    pair.order.created_at = iso(Math.max(Date.parse(createdAt), books.fromMs));
    return `missing_at_service ${pair.sale.idempotencyKey}`;
  },
  'an order without a sale': (pair, books) => {
    removeSale(pair, books);
    return `unknown_here ${pair.order.public_id}`;
  },
  'an order without a sale, in the first millisecond': (pair, books) => {
    removeSale(pair, books);
    pair.order.created_at = iso(books.fromMs);
    return `unknown_here ${pair.order.public_id}`;
  },
  'refused, and the order stands': (pair) => {
    pair.sale.state = 'refused';
    pair.sale.publicId = undefined;
    return `order_of_a_refused_sale ${pair.sale.idempotencyKey}`;
  },
  'refused, and a part of the order was refunded': (pair) => {
    pair.sale.state = 'refused';
    pair.sale.publicId = undefined;
    pair.order.status = 'PARTIALLY_REFUNDED';
    return `order_of_a_refused_sale ${pair.sale.idempotencyKey}`;
  },
  'another amount': (pair) => {
    pair.order.sale_price_cents += 1;
    return `amount_differs ${pair.sale.idempotencyKey}`;
  },
  'another currency, in lower case': (pair) => {
    pair.order.currency = 'eur';
    return `currency_differs ${pair.sale.idempotencyKey}`;
  },
  'the books are a status behind': (pair) => {
    pair.order.status = 'SETTLED';
    pair.sale.status = 'TRANSFER_COMPLETED';
    return `behind ${pair.sale.idempotencyKey}`;
  },
  'a refund that the books do not have': (pair) => {
    pair.order.status = 'REFUNDED';
    return `behind ${pair.sale.idempotencyKey}`;
  },
  'a hold that the books do not have': (pair) => {
    pair.order.status = 'MANUAL_REVIEW';
    return `behind ${pair.sale.idempotencyKey}`;
  },
  'open, and the order stands': (pair) => {
    pair.sale.state = 'open';
    pair.sale.publicId = undefined;
    return `behind ${pair.sale.idempotencyKey}`;
  },
  'the books are a status ahead': (pair) => {
    pair.order.status = 'EXTERNALLY_PAID';
    pair.sale.status = 'TRANSFER_IN_PROGRESS';
    return `ahead ${pair.sale.idempotencyKey}`;
  },
  'a refund in the books alone': (pair) => {
    pair.sale.refundedAt = iso(nowMs - hourMs);
    return `ahead ${pair.sale.idempotencyKey}`;
  },
  'an order that does not move': (pair) => {
    pair.order.status = 'TRANSFER_IN_PROGRESS';
    pair.sale.status = 'TRANSFER_IN_PROGRESS';
    pair.order.updated_at = iso(nowMs - stuckAfterMs - 1);
    return `stuck ${pair.sale.idempotencyKey}`;
  },
  'two orders of one reference': (pair, books) => {
    addTwin(pair, books, {});
    return `doubled ${pair.sale.idempotencyKey}`;
  },
  'two orders of one reference, the second one the books do not name': (pair, books) => {
    addTwin(pair, books, { currency: 'usd' });
    pair.sale.publicId = pair.order.public_id;
    return `doubled ${pair.sale.idempotencyKey}`;
  },
  'two standing orders after one that was refunded': (pair, books) => {
    const { status } = pair.order;
    pair.sale.publicId = undefined;
    pair.order.status = 'REFUNDED';
    addTwin(pair, books, { status });
    addTwin(pair, books, { status, public_id: `${pair.order.public_id}-3` });
    return `doubled ${pair.sale.idempotencyKey}`;
  },
  'a second order under a reference in capitals': (pair, books) => {
    addTwin(pair, books, {
      external_payment_ref: String(pair.order.external_payment_ref).toUpperCase(),
    });
    return `not_checkable ${pair.sale.idempotencyKey}`;
  },
  'its order under a reference that was cut off': (pair) => {
    pair.sale.publicId = undefined;
    pair.order.external_payment_ref = String(pair.order.external_payment_ref).slice(0, 9);
    return `not_checkable ${pair.sale.idempotencyKey}`;
  },
  'a row without a price': (pair) => {
    delete (pair.sale.input as Partial<typeof pair.sale.input>).expected_price;
    return `not_checkable ${pair.sale.idempotencyKey}`;
  },
  'a row with a currency that is none': (pair) => {
    pair.sale.input.currency = 'dollars';
    return `not_checkable ${pair.sale.idempotencyKey}`;
  },
};
