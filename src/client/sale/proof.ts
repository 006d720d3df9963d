/**
 * What a response proves about money. No clock, no network: callers read, this module judges.
 *
 * **Absence.** A list shows that something does not exist only if it is complete, fresh, and the list
 * that was asked for. Give every page to an `AbsenceProof`, in the order in which they were read:
 *
 *     const proof = new AbsenceProof('orders', (order) => isOtherDomain(order.domain, domain));
 *     proof.add(page);
 *     proof.doubt; // undefined: what no page showed does not exist. Else why not, for a message.
 *
 * With a doubt the look-up failed: a sale stays open, and a book entry is not checkable. It is never
 * "not found". `readList` does this for a whole list, within one deadline and at most 1,000 pages.
 *
 * **Presence.** An order proves a sale only if it contradicts nothing that was sent:
 *
 *     compareOrder(input, order);          // of a list: 'ours', 'possible', 'contradictory', 'other'
 *     findContradiction(input, order);     // of the response to our POST: a reason, or undefined
 *     compareReference(stated, sent);      // 'same', 'changed', 'other', 'unstated'
 *
 * Only 'ours' is a proof. 'possible' and 'contradictory' are for an operator, 'other' is excluded.
 * What an order does not state excludes nothing.
 *
 * A single record (`orders.get`) needs `findCacheSign(response)`: a cache's copy says nothing about now.
 *
 * @see docs/guarantees.md
 */

import { domainToASCII } from 'node:url';
import { provesAbsence } from '../assumptions.js';
import { isRecord } from '../../json.js';
import type { Order, OrderInput } from '../model/orders.js';
import { CompletenessCheck } from './completeness.js';
import { findMeaning } from './envelope-words.js';

/** The parts of a response that say where it came from. */
interface ProofResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One page of a list, as `orders.list` and `brokerage.listCases` return it. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The page's JSON as received. */
  readonly body: unknown;
  readonly nextCursor?: string | undefined;
  /** Absent if a stand-in replaces the client: then nothing is known about caches. */
  readonly response?: ProofResponse | undefined;
}

/** Collects the signs that a list does not show everything. */
export class AbsenceProof {
  readonly #noun: string;
  readonly #isForeign: (item: Record<string, unknown>) => boolean;
  readonly #completeness = new CompletenessCheck();
  #doubt: string | undefined;

  /**
   * @param noun - the member that holds the list: `'orders'`
   * @param isForeign - whether an item is one that the filter excludes, so that the filter was ignored
   */
  constructor(noun: string, isForeign: (item: Record<string, unknown>) => boolean) {
    this.#noun = noun;
    this.#isForeign = isForeign;
  }

  get pages(): number {
    return this.#completeness.pages;
  }

  /** Why the list proves nothing, as the end of "the list ..."; `undefined` if it is a proof. */
  get doubt(): string | undefined {
    return this.#doubt ?? this.#completeness.doubt;
  }

  add({ items, body, response }: ListPage<unknown>): void {
    const headers = response?.headers ?? {};
    this.#completeness.add(body, items, headers);
    this.#doubt ??=
      (response && findCacheSign(response)) ??
      this.#doubtOfForm(body, headers) ??
      this.#doubtOfEcho(body, headers) ??
      this.#doubtOfItems(items);
  }

  #doubtOfForm(body: unknown, headers: ProofResponse['headers']): string | undefined {
    if (headers['content-type']?.includes('problem') === true) {
      return 'is an error by its Content-Type';
    }
    if (provesAbsence(body, this.#noun)) return undefined;
    return 'is not in the form { "data": [] }, so a gateway may have sent it';
  }

  /** A service that repeats the filter, or the address, says what the list was read for. */
  #doubtOfEcho(body: unknown, headers: ProofResponse['headers']): string | undefined {
    const location = headers['content-location'];
    if (location !== undefined && this.#isOtherFilter(location.slice(location.indexOf('?') + 1))) {
      return `is the one of another address (Content-Location: ${location.slice(0, 100)})`;
    }
    for (const holder of isRecord(body) ? [body, body.meta] : []) {
      if (!isRecord(holder)) continue;
      for (const name in holder) {
        if (findMeaning(name) !== 'echo' || !this.#isOtherFilter(holder[name])) continue;
        return `is the one of another filter (${name}: ${quote(holder[name])})`;
      }
    }
    return undefined;
  }

  #isOtherFilter(filter: unknown): boolean {
    const fields =
      typeof filter === 'string' ? Object.fromEntries(new URLSearchParams(filter)) : filter;
    return isRecord(fields) && this.#isForeign(fields);
  }

  #doubtOfItems(items: readonly unknown[]): string | undefined {
    for (const item of items) {
      if (!isRecord(item)) return 'has an item that is not a record';
      if (this.#isForeign(item)) return 'has items that the filter excludes, so it was ignored';
    }
    return undefined;
  }
}

/** Why a response may be a stored copy: an `Age`, a cache's hit, or a status other than 200. */
export function findCacheSign({ status, headers }: ProofResponse): string | undefined {
  if (status !== 200) return `has the status ${status}`;
  const { age } = headers;
  if (age !== undefined && Number(age) !== 0) return `came from a cache (Age: ${age.slice(0, 20)})`;
  if (headers.warning !== undefined) return 'has a Warning header';
  for (const name in headers) {
    if (!name.includes('cache') || name.endsWith('cache-control')) continue;
    const value = headers[name] ?? '';
    if (isCacheHit(name, value)) return `came from a cache (${name}: ${value.slice(0, 50)})`;
  }
  return undefined;
}

/** `x-cache-hits` and `x-cache-age` count; `x-from-cache` and `x-cached` affirm; the others name it. */
function isCacheHit(name: string, value: string): boolean {
  if (/(?:hits|age)$/.test(name)) return /[1-9]/.test(value);
  if (/from-?cache|cached$/.test(name)) return !/^\s*(?:|0|no|false|none|miss)\s*$/i.test(value);
  return /hit|stale|updating|fresh|prerender/i.test(value);
}

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
      : describeDifference('price', statedPrice, price))
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

/** Whether `stated` names a domain, in any spelling, that is not `sent`. */
export function isOtherDomain(stated: unknown, sent: string | undefined): boolean {
  if (typeof stated !== 'string' || stated === '') return false;
  if (sent === undefined || stated === sent) return false;
  return asciiDomain(stated) !== asciiDomain(sent);
}

/**
 * Compares references. `'changed'`: equal but for case and white space, or `stated` is the beginning of
 * `sent`, at least 8 characters long: a service may store it so. It may be ours, or another sale's.
 */
export function compareReference(
  stated: unknown,
  sent: string | undefined,
): 'same' | 'changed' | 'other' | 'unstated' {
  const text = typeof stated === 'number' ? String(stated) : stated;
  if (typeof text !== 'string' || sent === undefined) return 'unstated';
  if (text === sent) return 'same';
  const folded = foldReference(text);
  if (folded === '') return 'unstated';
  const ours = foldReference(sent);
  // Counted with its white space: the service may have cut what it had padded.
  const isCutOff = text.length >= shortestCut && ours.startsWith(folded);
  return folded === ours || isCutOff ? 'changed' : 'other';
}

/** A shorter beginning is shared by references that have nothing to do with each other: `pay-`. */
const shortestCut = 8;

/** Without case, white space, and the marks with which a text is cut off: `payment-10...`. */
function foldReference(reference: string): string {
  return reference
    .replace(/\s/g, '')
    .replace(/(?:…|\.{2,}|\*+)$/, '')
    .toLowerCase();
}

export function asciiDomain(name: string): string {
  const trimmed = name.trim().replace(/\.$/, '');
  const ascii = domainToASCII(trimmed);
  return ascii === '' ? trimmed.toLowerCase() : ascii;
}

export function isOtherCurrency(stated: unknown, sent: string | undefined): boolean {
  if (typeof stated !== 'string' || stated === '' || sent === undefined) return false;
  return stated.trim().toUpperCase() !== sent.toUpperCase();
}

function isCurrencyCode(stated: unknown): boolean {
  return typeof stated === 'string' && /^[a-z]{3}$/i.test(stated.trim());
}

/** Above zero if `stated` is higher; zero if one of them is not stated as a number. */
function compareAmounts(stated: unknown, sent: number | undefined): number {
  return typeof stated === 'number' && typeof sent === 'number' ? stated - sent : 0;
}

function describeDifference(field: string, stated: unknown, sent: unknown): string {
  return `states the ${field} ${quote(stated)}, not ${quote(sent)}`;
}

function quote(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
