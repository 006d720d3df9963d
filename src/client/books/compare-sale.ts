/** compareSale: how a sale in the books differs from its order at the service. */

import { parseServiceTime } from '../../core/service-time.js';
import { hasReached, isFinal, isHeldForReview, isSameStatus, isTakenBack } from '../assumptions.js';
import type { Order } from '../model/orders.js';
import { hasMappedStatus } from '../profile/to-ours.js';
import { isOtherCurrency } from '../sale/compare-fields.js';
import { hintOfUnit } from '../sale/compare-order.js';
import type { BookedSale } from './booked-sale.js';
import { finding, type Finding, type FindingKind } from './findings.js';

/** When an order counts as stuck. */
export interface StuckRule {
  readonly nowMs: number;
  /** `undefined`: never. */
  readonly stuckAfterMs: number | undefined;
}

/**
 * The findings of one joined pair, most urgent first; none when they agree. A field that the service
 * does not state never counts as a difference.
 */
export function compareSale(sale: BookedSale, order: Order, rule: StuckRule): Finding[] {
  const about = (kind: FindingKind, message: string) =>
    finding(kind, message, { row: sale.row, idempotencyKey: sale.idempotencyKey, order });
  if (sale.state === 'refused') {
    // The books refunded the buyer, and the service took the order back: both have ended the sale.
    const isMapped = hasMappedStatus(order);
    if (isTakenBack(String(order.status)) && !isMapped) return [];
    const { status = 'in a status that the service does not state' } = order as Partial<Order>;
    const by = isMapped ? ' by "statuses" of the profile, which proves no refund' : '';
    const message = `The books say that this sale was refused; its order is ${status}${by}.`;
    return [about('order_of_a_refused_sale', message)];
  }
  const differences = [...figures(sale, order), ...statuses(sale, order), ...stuck(order, rule)];
  return differences.map(([kind, message]) => about(kind, message));
}

type Difference = readonly [kind: FindingKind, message: string];

function figures({ price, currency }: BookedSale, order: Order): Difference[] {
  const found: Difference[] = [];
  const { sale_price_cents: orderPrice, currency: orderCurrency } = order as Partial<Order>;
  if (isOtherCurrency(orderCurrency, currency)) {
    found.push(['currency_differs', `The books say ${currency}, the order says ${orderCurrency}.`]);
  }
  if (typeof orderPrice === 'number' && orderPrice !== price) {
    const message = `The books say ${price}, the order says ${orderPrice}, in minor units${hintOfUnit(orderPrice, price)}.`;
    found.push(['amount_differs', message]);
  }
  return found;
}

function statuses(sale: BookedSale, order: Order): Difference[] {
  const { status } = order as Partial<Order>;
  if (typeof status !== 'string') {
    return [['not_checkable', 'The order does not state its status.']];
  }
  if (sale.state === 'open') {
    return [['behind', `The sale is open in the books; its order is ${status}.`]];
  }
  const isRefundedHere = sale.isRefunded || (sale.status !== undefined && isTakenBack(sale.status));
  if (isTakenBack(status)) {
    return isRefundedHere ? [] : [['behind', `The books do not show that the order is ${status}.`]];
  }
  if (isRefundedHere) {
    return [['ahead', `The books show a refund or a cancellation; the order is ${status}.`]];
  }
  if (sale.status !== undefined && isSameStatus(sale.status, status)) return [];
  return progress(sale.status, status);
}

/** Compares two statuses that differ, neither of them a refund. */
function progress(booked: string | undefined, status: string): Difference[] {
  if (isHeldForReview(status)) {
    return [['behind', `The books do not show that the order is held: ${status}.`]];
  }
  // Without a status in the books, there is nothing to compare but refunds and holds.
  if (booked === undefined) return [];
  const message = `The books say ${booked}, the service says ${status}.`;
  if (isHeldForReview(booked)) return [['behind', message]];
  if (hasReached(status, booked)) return [['behind', message]];
  if (hasReached(booked, status)) return [['ahead', message]];
  return [['not_checkable', `${message} It is not known which of the two is later.`]];
}

function stuck(order: Order, { nowMs, stuckAfterMs }: StuckRule): Difference[] {
  const { status, updated_at: updatedAt, created_at: createdAt } = order as Partial<Order>;
  if (stuckAfterMs === undefined || typeof status !== 'string') return [];
  if (isFinal(status)) return [];
  // A sale is recorded in this status: without a time of change it has had it since then.
  const since = parseServiceTime(
    updatedAt ?? (isSameStatus(status, 'EXTERNALLY_PAID') ? createdAt : undefined),
  );
  if (Number.isNaN(since)) {
    return [['not_checkable', `The order does not state how long it has been ${status}.`]];
  }
  const forMs = nowMs - since;
  if (forMs <= stuckAfterMs) return [];
  return [['stuck', `The order has been ${status} since ${new Date(since).toISOString()}.`]];
}
