/** `matchOrders`: which orders of a list belong to a sale; `isOrder`: what is an order at all. */

import { isRecord } from '../../core/json.js';
import { MarketError } from '../errors/market-error.js';
import type { Order, OrderInput } from '../model/orders.js';
import { compareOrder, findContradiction, hintOfUnit } from './compare-order.js';
import type { ListReading } from './read-list.js';

/**
 * What one look-up showed:
 * - `'ours'`: exactly one order has an id, the sale's domain and `external_payment_ref`, and contradicts nothing.
 * - `'possible'`: orders that may be the sale's, or that have its reference and contradict it.
 * - `'none'`: the list proves that the sale has no order.
 * - `'failed'`: the list could not be read, or it proves nothing.
 */
export type LookUp =
  | { readonly state: 'ours'; readonly order: Order }
  | {
      readonly state: 'possible';
      readonly candidates: readonly Order[];
      /** What is odd about them, if it is known. */
      readonly error?: unknown;
    }
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly error: unknown };

/**
 * Whether a response proves anything about an order: it states its id, and the one that was asked for. A
 * record without an id can be of any order, and could be neither read nor refunded later.
 */
export function isOrder(value: unknown, publicId?: string): value is Order {
  if (!isRecord(value)) return false;
  const { public_id: stated } = value;
  if (typeof stated !== 'string' || stated === '') return false;
  return publicId === undefined || stated === publicId;
}

/**
 * Compares a sale with the orders that a list showed.
 *
 * @param input - the sale as it was sent, in its final form
 * @see specification, part 4.2: GET /orders
 */
export function matchOrders(input: OrderInput, { kept, doubt }: ListReading<Order>): LookUp {
  const compared = kept.map((order) => ({ order, relation: compareOrder(input, order) }));
  const ordersThatAre = (...relations: readonly string[]) =>
    compared.filter(({ relation }) => relations.includes(relation)).map(({ order }) => order);
  // Of two orders under one reference, manual review must see both.
  const referenced = ordersThatAre('ours', 'contradictory');
  const [ours] = ordersThatAre('ours');
  const inOtherUnit = referenced.find(
    ({ sale_price_cents: price }) => hintOfUnit(price, input.expected_price) !== '',
  );
  if (inOtherUnit !== undefined) {
    return { state: 'possible', candidates: referenced, error: unitError(input, inOtherUnit) };
  }
  if (isOrder(ours) && referenced.length === 1) return { state: 'ours', order: ours };
  if (referenced.length > 0) return { state: 'possible', candidates: referenced };
  const candidates = ordersThatAre('possible');
  if (candidates.length > 0) return { state: 'possible', candidates };
  return doubt === undefined ? { state: 'none' } : { state: 'failed', error: noProofError(doubt) };
}

/** An order that is placed at a figure that means another amount would be booked at that amount. */
function unitError(input: OrderInput, order: Order): MarketError {
  const what = findContradiction(input, order) ?? '';
  return new MarketError(`GET /orders shows an order that ${what}.`, { method: 'GET' });
}

function noProofError(doubt: string): MarketError {
  return new MarketError(
    `GET /orders shows no such order, but that is no proof that there is none, because the list ${doubt}.`,
    { method: 'GET' },
  );
}
