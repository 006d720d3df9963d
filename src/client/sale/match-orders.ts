/** `matchOrders`: which orders of a list belong to a sale. */

import { provesAbsence } from '../assumptions.js';
import { MarketError } from '../errors/market-error.js';
import { isRecord } from '../json.js';
import type { Order, OrderInput } from '../model/orders.js';

/** The sale as it was sent. */
export interface Sale {
  /** In its final form: a domain in lower-case ASCII, a currency in upper case. */
  readonly input: OrderInput;
}

/**
 * What one look-up showed:
 * - `'ours'`: exactly one order has the sale's domain and `external_payment_ref`.
 * - `'possible'`: orders that may be the sale's; nothing tells for certain.
 * - `'none'`: the service's own list shows no order that could be the sale's.
 * - `'failed'`: the list could not be read, or it is empty and may be a gateway's.
 */
export type LookUp =
  | { readonly state: 'ours'; readonly order: Order }
  | { readonly state: 'possible'; readonly candidates: readonly Order[] }
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly error: unknown };

/** One page of `orders.list`. */
export interface OrderPage {
  readonly items: readonly Order[];
  /** The page's JSON as received. */
  readonly body: unknown;
}

/**
 * Compares a sale with the orders of its domain. An order that states another reference, price or
 * currency is excluded; one that states too little stays possible. Its time excludes none: the
 * sale's own time is of a machine whose clock may be wrong by any amount. `'none'` needs every page
 * in the service's own form.
 *
 * @see specification, part 4.2: GET /orders
 */
export function matchOrders(sale: Sale, pages: readonly OrderPage[]): LookUp {
  const orders = pages.flatMap(({ items }) => items).filter(isRecord);
  const ofDomain = orders.filter((order) => isSame(order.domain, sale.input.domain));
  const reference = sale.input.external_payment_ref;
  const ours =
    reference === undefined
      ? []
      : ofDomain.filter((order) => order.external_payment_ref === reference);
  const [only, ...others] = ours;
  if (only !== undefined) {
    // Two orders under one reference: a person must see both.
    return others.length === 0
      ? { state: 'ours', order: only }
      : { state: 'possible', candidates: ours };
  }
  const candidates = ofDomain.filter((order) => mayBelongTo(sale, order));
  if (candidates.length > 0) return { state: 'possible', candidates };
  const isCertain = pages.length > 0 && pages.every(isOfTheService);
  return isCertain ? { state: 'none' } : { state: 'failed', error: noProofError() };
}

function isOfTheService({ items, body }: OrderPage): boolean {
  return provesAbsence(body, 'orders') && items.every(isRecord);
}

function noProofError(): MarketError {
  return new MarketError(
    'GET /orders answered with a list that shows no such order, and not as { "data": [] }: a gateway can answer so, and it is no proof that there is no order.',
    { method: 'GET' },
  );
}

function mayBelongTo({ input }: Sale, order: Order): boolean {
  const { external_payment_ref: reference, sale_price_cents: price } = order;
  const statesOtherReference =
    typeof reference === 'string' && input.external_payment_ref !== undefined;
  if (statesOtherReference) return false;
  const { expected_price: expected } = input;
  if (typeof expected === 'number' && typeof price === 'number') {
    // A sale with a reference may have been placed below its price: `requote: 'at_most_paid'`.
    if (price > expected || (price < expected && input.external_payment_ref === undefined))
      return false;
  }
  return input.currency === undefined || isSame(order.currency, input.currency);
}

/** A field that is absent excludes nothing. */
function isSame(stated: unknown, sent: string): boolean {
  return typeof stated !== 'string' || stated.toLowerCase() === sent.toLowerCase();
}
