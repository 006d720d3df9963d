/** Sales that the partner collected, from creation to refund (specification, parts 2, 3, 4.2 and 4.4). */

import type { OrderStatus } from '../../webhooks/events.js';
import type { DateRange, PageRequest } from './ranges.js';

export type { OrderStatus };

/**
 * Who bought the domain.
 *
 * @see specification, part 2: order-creation input
 *
 * @example
 * ```ts
 * import type { Buyer } from 'market-partner-sdk';
 *
 * const buyer: Buyer = { email: 'ada@buyer.example', name: 'Ada Example', country: 'GB' };
 * ```
 */
export interface Buyer {
  /** E-mail address (part 2). */
  email?: string | undefined;
  /** The buyer's name. Assumed: the specification's text is garbled there (part 2). */
  name?: string | undefined;
  /** Two-letter country code; sent in upper case (part 2). */
  country?: string | undefined;
}

/**
 * A sale to record. Which fields the service requires is not shown. This package requires `domain`
 * and `expected_price`; if the service misses another field, the call fails with a `ValidationError`. A
 * field that is not named here is sent too: docs/assumptions.md shows how to write it.
 *
 * @see specification, parts 2 and 4.2: POST /orders
 *
 * @example
 * ```ts
 * import type { OrderInput } from 'market-partner-sdk';
 *
 * const input: OrderInput = {
 *   domain: 'brew.example',
 *   expected_price: 250_000,
 *   currency: 'USD',
 *   buyer: { email: 'ada@buyer.example', country: 'GB' },
 *   external_payment_ref: 'payment-1001',
 * };
 * ```
 */
export interface OrderInput {
  /** Domain being sold. Sent in lower-case ASCII form (part 2). */
  domain: string;
  /**
   * Price that you expect, in minor currency units: a whole number above zero. If it is not the
   * listing's, the call fails with a `PriceMismatchError` (parts 2 and 4.2). This package requires it:
   * without it, an order would be placed at any price.
   */
  expected_price: number;
  /** Three-letter currency code; sent in upper case (part 2). */
  currency?: string | undefined;
  /** Who bought the domain (part 2). */
  buyer?: Buyer | undefined;
  /** Absolute http or https address that the buyer is sent to on success (part 2). */
  return_url?: string | undefined;
  /** Absolute http or https address that the buyer is sent to on cancel (part 2). */
  cancel_url?: string | undefined;
  /** Identifier of a quote; after its ten minutes the call fails with a `QuoteExpiredError` (parts 2 and 4.2). */
  quote_id?: string | undefined;
  /**
   * Your own reference of the payment, a different one for each sale (part 2). `orders.resume` and the
   * outbox recognize the order by it; without one a sale may need manual review.
   */
  external_payment_ref?: string | undefined;
}

/**
 * An input in the form in which a call sends it, as `orders.prepare` returns it.
 *
 * @example
 * ```ts
 * import { MarketClient, type OrderInput, type PreparedInput } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const order: PreparedInput<OrderInput> = market.orders.prepare({
 *   domain: 'Brew.example',
 *   expected_price: 250_000,
 * });
 * console.log(order.body); // {"domain":"brew.example","expected_price":250000}
 * ```
 */
export interface PreparedInput<T> {
  /** The normalized input: the same data as in `body`. */
  readonly input: T;
  /** The JSON text of the request's body: keys sorted at every depth. */
  readonly body: string;
  /** The SHA-256 of the body's bytes in UTF-8, as 64 lower-case hex characters. */
  readonly sha256: string;
}

/**
 * A recorded sale.
 *
 * @see specification, parts 2 and 4.2: POST /orders and GET /orders
 *
 * @example
 * ```ts
 * import { MarketClient, type Order } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const order: Order = await market.orders.create({
 *   domain: 'brew.example',
 *   expected_price: 250_000,
 *   currency: 'USD',
 * });
 * console.log(order.public_id, order.status, order.sale_price_cents);
 * ```
 */
export interface Order {
  /** Identifier of the order, as used in paths (part 2). */
  public_id: string;
  /** The domain sold (part 2). */
  domain: string;
  /** Status of the order (part 3). */
  status: OrderStatus;
  /** Sale price in minor currency units (part 2). */
  sale_price_cents: number;
  /** Currency code, such as `USD` (part 2). */
  currency: string;
  /** Time of recording, ISO 8601 UTC. @assumed part 2 */
  created_at?: string;
  /** Time of the last change, ISO 8601 UTC. @assumed part 2 */
  updated_at?: string;
  /** The quote that the order was made with. @assumed part 2 */
  quote_id?: string;
  /** Your own payment reference. @assumed part 2 */
  external_payment_ref?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * One step of an order's or a brokerage case's history. The specification names no field of it,
 * so every field is assumed and may be absent.
 *
 * @see specification, parts 2, 4.2 and 4.5
 *
 * @example
 * ```ts
 * import type { TimelineEntry } from 'market-partner-sdk';
 *
 * const print = ({ at, status }: TimelineEntry) => console.log(at, status);
 * ```
 */
export interface TimelineEntry {
  /** Status that the step led to. @assumed part 2 */
  status?: string;
  /** Event type that announced the step, such as `order.transfer_started`. @assumed part 6 */
  event?: string;
  /** Time of the step, ISO 8601 UTC. @assumed part 2 */
  at?: string;
  /** A remark for a human reader. @assumed part 2 */
  note?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * An order with its transfer and its history.
 *
 * @see specification, part 4.2: GET /orders/{public_id}
 *
 * @example
 * ```ts
 * import { MarketClient, type OrderDetail } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const order: OrderDetail = await market.orders.get('ord_1001');
 * for (const { at, status } of order.timeline ?? []) console.log(at, status);
 * ```
 */
export interface OrderDetail extends Order {
  /** The steps so far. A timeline is documented; the name of its field is not. @assumed part 2 */
  timeline?: TimelineEntry[];
  /** State of the transfer; its shape is not shown. @assumed part 4.2 */
  transfer?: Record<string, unknown>;
}

/**
 * Narrows the list of orders. The filters are documented as status, domain and date range; the
 * names of the two dates and of the page's parameters are assumed.
 *
 * @see specification, part 4.2: GET /orders
 *
 * @example
 * ```ts
 * import { MarketClient, type OrderFilters } from 'market-partner-sdk';
 *
 * const filters: OrderFilters = { status: 'SETTLED', from: '2026-01-01' };
 * const market = new MarketClient();
 * for await (const order of market.orders.list(filters)) console.log(order.public_id);
 * ```
 */
export interface OrderFilters extends DateRange, PageRequest {
  /** Only orders in this status (part 4.2). */
  status?: OrderStatus | undefined;
  /** Only orders of this domain. Sent in lower-case ASCII form (part 4.2). */
  domain?: string | undefined;
}

/**
 * Asks for a refund of a partner-collected order; the service allows it only before
 * `TRANSFER_COMPLETED`. The request's fields are not shown: an input that names no order in any
 * field is refused with an `InvalidRequestError`, and any field passes through.
 *
 * @see specification, part 4.4: POST /refunds
 *
 * @example
 * ```ts
 * import type { RefundInput } from 'market-partner-sdk';
 *
 * const input: RefundInput = { public_id: 'ord_1001', reason: 'buyer withdrew' };
 * ```
 */
export interface RefundInput {
  /** The order to refund. @assumed part 4.4 */
  public_id?: string | undefined;
  /** Why, for a human reader. @assumed part 4.4 */
  reason?: string | undefined;
}

/**
 * A requested refund or clawback. The specification names no field of it, so every field is
 * assumed and may be absent.
 *
 * @see specification, part 4.4: POST /refunds
 *
 * @example
 * ```ts
 * import { MarketClient, type Refund } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const refund: Refund = await market.orders.refund({ public_id: 'ord_1001' });
 * console.log(refund.status, refund.amount_cents);
 * ```
 */
export interface Refund {
  /** Identifier of the refund. @assumed part 4.4 */
  refund_id?: string;
  /** The refunded order. @assumed part 4.4 */
  public_id?: string;
  /** Status of the refund. @assumed part 4.4 */
  status?: string;
  /** Refunded amount in minor currency units. @assumed part 4.4 */
  amount_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.4 */
  currency?: string;
  /** Time of the request, ISO 8601 UTC. @assumed part 4.4 */
  created_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
