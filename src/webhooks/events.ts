/**
 * The types of the events that the service delivers and stores in its history (specification, parts 2
 * and 6).
 *
 * Fields beyond the documented ones are typed `unknown` and pass through: an event is the JSON as
 * it was received, never a copy.
 */

/**
 * The status of an order (specification, part 3). The specification does not show the complete list:
 * the statuses of orders that are held for review, refunded or cancelled pass through unchanged.
 *
 * @example
 * ```ts
 * import type { OrderStatus } from 'market-partner-sdk/webhooks';
 *
 * const canBeRefunded = (status: OrderStatus) =>
 *   status === 'EXTERNALLY_PAID' || status === 'TRANSFER_IN_PROGRESS';
 * ```
 */
export type OrderStatus =
  'EXTERNALLY_PAID' | 'TRANSFER_IN_PROGRESS' | 'TRANSFER_COMPLETED' | 'SETTLED' | (string & {});

/** The order that an order event is about (specification, part 2, Event). */
export interface EventOrder {
  /** The order's identifier, as in `orders.get(public_id)`. */
  public_id: string;
  /** The domain that was sold. */
  domain: string;
  /** The order's status when the event was written; deliveries may arrive out of order. */
  status: OrderStatus;
  /** Sale price in minor units of `currency`: cents for USD. */
  sale_price_cents: number;
  /** Currency code, such as `USD`. */
  currency: string;
  /** Fields that the specification does not name. */
  [field: string]: unknown;
}

/** The payload of an order event. */
export interface OrderEventData {
  /** The order that the event is about. */
  order: EventOrder;
  /** Fields that the specification does not name. */
  [field: string]: unknown;
}

/** A payload whose fields the specification does not name. */
export type EventData = Record<string, unknown>;

/** The fields that every event has (specification, part 2, Event). */
interface EventEnvelope {
  /** The event's identifier: the same in every delivery of it, and the cursor of the history. */
  id: string;
  /** When the event was written, ISO 8601 in UTC. */
  created_at: string;
  /** The partner that the event belongs to; set in webhook deliveries, not in the history. */
  partner_id?: string;
  /** Fields that the specification does not name. */
  [field: string]: unknown;
}

/** `order.recorded`: a partner-collected sale is recorded; the order is EXTERNALLY_PAID. */
export interface OrderRecordedEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'order.recorded';
  /** The order as it was recorded. */
  data: OrderEventData;
}

/** `order.manual_review_cleared`: a held order was cleared and its transfer proceeds. */
export interface OrderManualReviewClearedEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'order.manual_review_cleared';
  /** The order that was held. */
  data: OrderEventData;
}

/** `order.transfer_started`: the domain push has started; the order is TRANSFER_IN_PROGRESS. */
export interface OrderTransferStartedEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'order.transfer_started';
  /** The order whose transfer has started. */
  data: OrderEventData;
}

/**
 * `order.transfer_completed`: the domain is at the partner's registrar; the order is
 * TRANSFER_COMPLETED, the settlement clock runs and a refund is no longer possible.
 */
export interface OrderTransferCompletedEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'order.transfer_completed';
  /** The order that was delivered. */
  data: OrderEventData;
}

/** `order.settled`: the settlement period closed and the order is reconciled; it is SETTLED. */
export interface OrderSettledEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'order.settled';
  /** The order that is settled. */
  data: OrderEventData;
}

/** `order.refunded`: the order is refunded or cancelled. */
export interface OrderRefundedEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'order.refunded';
  /** The order, with its status after the refund or the cancellation. */
  data: OrderEventData;
}

/** `brokerage.case_completed`: a brokerage case closed with a deal. Its payload is not documented. */
export interface BrokerageCaseCompletedEvent extends EventEnvelope {
  /** Distinguishes this event from the others. */
  type: 'brokerage.case_completed';
  /** As received: the specification names no field of it. */
  data: EventData;
}

/** The events about an order, all with `data.order`. */
export type OrderEvent =
  | OrderRecordedEvent
  | OrderManualReviewClearedEvent
  | OrderTransferStartedEvent
  | OrderTransferCompletedEvent
  | OrderSettledEvent
  | OrderRefundedEvent;

/** The events that the specification documents (part 6). */
export type KnownEvent = OrderEvent | BrokerageCaseCompletedEvent;

/** The event types that the specification documents (part 6). */
export type MarketEventType = KnownEvent['type'];

/**
 * The type of an event that this version does not know: an ordinary string at run time.
 *
 * It is declared as an enum, which does not exist at run time, because TypeScript never considers an
 * enum member equal to another string: comparing `event.type` with a documented type narrows to that
 * one event, and a misspelled type does not compile. To compare it with any other string, widen it
 * first: `const type: string = event.type`.
 */
export declare enum UnknownEventType {
  /** Represents any other string. */
  Other = 'a type that this version does not know',
}

/** An event of a type that this version does not know. It is delivered, never refused. */
export interface UnknownEvent extends EventEnvelope {
  /** The type as received. */
  type: UnknownEventType;
  /** As received. */
  data: EventData;
}

/**
 * An event of the service, a union discriminated by `type`.
 *
 * @see specification, parts 2 and 6
 * @example
 * ```ts
 * import type { MarketEvent } from 'market-partner-sdk/webhooks';
 *
 * export function describe(event: MarketEvent): string {
 *   switch (event.type) {
 *     case 'order.settled':
 *       return `${event.data.order.domain} earned ${event.data.order.sale_price_cents} cents`;
 *     case 'brokerage.case_completed':
 *       return `a case closed at ${event.created_at}`;
 *     default:
 *       return `${event.type}, not handled here`;
 *   }
 * }
 * ```
 */
export type MarketEvent = KnownEvent | UnknownEvent;
