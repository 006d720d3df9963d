/**
 * `compareOrder` and `findContradiction`: whether an order is the one of a sale.
 *
 * It is only if it contradicts nothing that was sent. What an order does not state excludes nothing.
 */

import type { Order, OrderInput } from '../model/orders.js';
import { compareReference, isOtherCurrency, isOtherDomain } from './compare-fields.js';

/** How a listed order relates to a sale. */
type OrderRelation = 'ours' | 'possible' | 'contradictory' | 'other';

/**
 * Compares an order of a list with the sale as it was sent. Our reference at a lower price is ours: a
 * requote. The order's time excludes nothing: the sale's clock may be wrong by any amount.
 */
export function compareOrder(sent: OrderInput, order: Readonly<Partial<Order>>): OrderRelation {
  if (isOtherDomain(order.domain, sent.domain)) return 'other';
  const { external_payment_ref: reference } = sent;
  const isDearer = compareAmounts(order.sale_price_cents, sent.expected_price) > 0;
  const isOtherMoney = isOtherCurrency(order.currency, sent.currency);
  switch (compareReference(order.external_payment_ref, reference)) {
    case 'same':
      return isDearer || isOtherMoney ? 'contradictory' : 'ours';
    case 'changed':
      return 'possible';
    case 'other':
      return 'other';
    case 'unstated': {
      // It may have lost the reference that was sent: its figures alone exclude nothing.
      if (reference !== undefined) return 'possible';
      // `US$` or `840` may be ours: only a code is another currency.
      const isOtherCode = isOtherMoney && isCurrencyCode(order.currency);
      // Only a sale with a reference may be placed below its price: `requote: 'at_most_paid'`.
      const isCheaper = compareAmounts(order.sale_price_cents, sent.expected_price) < 0;
      return isDearer || isOtherCode || isCheaper ? 'other' : 'possible';
    }
  }
}

/**
 * What the response to our own POST states that we did not send: another domain, reference, currency
 * or price. Completes "an order that ...".
 */
export function findContradiction(
  sent: Readonly<Partial<OrderInput>>,
  order: Readonly<Partial<Order>>,
): string | undefined {
  const { currency, expected_price: price } = sent;
  const { currency: statedCurrency, sale_price_cents: statedPrice } = order;
  return (
    findOtherIdentity(sent, order) ??
    (isOtherCurrency(statedCurrency, currency)
      ? describeDifference('currency', statedCurrency, currency)
      : undefined) ??
    (compareAmounts(statedPrice, price) === 0
      ? undefined
      : describeDifference('price', statedPrice, price) + hintOfUnit(statedPrice, price))
  );
}

/**
 * The part of {@link findContradiction} that makes it the order of another sale: its domain or its
 * reference. A reference in another case or cut off may still be ours.
 */
export function findOtherIdentity(
  { domain, external_payment_ref: reference }: Readonly<Partial<OrderInput>>,
  order: Readonly<Partial<Order>>,
): string | undefined {
  const { domain: statedDomain, external_payment_ref: statedReference } = order;
  if (isOtherDomain(statedDomain, domain)) {
    return describeDifference('domain', statedDomain, domain);
  }
  return compareReference(statedReference, reference) === 'other'
    ? describeDifference('external_payment_ref', statedReference, reference)
    : undefined;
}

function isCurrencyCode(stated: unknown): boolean {
  return typeof stated === 'string' && /^[a-z]{3}$/i.test(stated.trim());
}

/** Above zero if `stated` is higher; zero if one of them is not stated as a number. */
function compareAmounts(stated: unknown, sent: number | undefined): number {
  return typeof stated === 'number' && typeof sent === 'number' ? stated - sent : 0;
}

/** A tenth, or a hundred times, is rarely another price: one of the two is in another unit. */
export function hintOfUnit(stated: unknown, sent: unknown): string {
  const power = Math.log10(Number(stated) / Number(sent));
  return power !== 0 && Number.isInteger(power)
    ? ', as if in another unit ("amounts" of the profile, docs/assumptions.md)'
    : '';
}

function describeDifference(field: string, stated: unknown, sent: unknown): string {
  return `states the ${field} ${quote(stated)}, not ${quote(sent)}`;
}

function quote(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
