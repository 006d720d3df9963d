/** requoteOrder: places a refused sale at the price of a new quote, never above what was paid. */

import { createHash } from 'node:crypto';
import { ApiError, MarketError } from '../errors/index.js';
import type { OrderInput, Quote, QuoteInput } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import { withSource } from '../profile/to-theirs.js';
import { isOtherCurrency } from './compare-fields.js';
import type { Verdict } from './decide-verdict.js';

/** A sale that was refused may see the price move again: this many new quotes are enough. */
const maxRequotes = 3;

/** One sale under one key. */
export interface SaleAttempt {
  readonly input: OrderInput;
  readonly idempotencyKey: string;
  /** Whether to look for an order before anything is sent. */
  readonly lookUpFirst: boolean;
}

interface Requote {
  readonly input: OrderInput;
  readonly idempotencyKey: string;
  readonly end: (attempt: SaleAttempt) => Promise<Verdict>;
  /** Looks twice for an order before a refusal is believed, and sends nothing. */
  readonly confirm: (refusal: unknown) => Promise<Verdict>;
  readonly quote: (input: QuoteInput, options: RequestOptions) => PromiseLike<Quote>;
  readonly call: RequestOptions;
}

/**
 * The derived key depends on the first key and the number of the requote only. After a crash the same
 * key is used again: at the same price it replays the order, at another one the service refuses it.
 */
export async function requoteOrder(first: Verdict, requote: Requote): Promise<Verdict> {
  let verdict = first;
  let sentPrice: number | undefined;
  for (let number = 1; number <= maxRequotes && isRepriced(verdict); number += 1) {
    const price = await priceOf(requote);
    // An earlier resume that died may have placed it since: then the domain is no longer listed.
    if (price === undefined) return requote.confirm(verdict.error);
    if (typeof price !== 'number') return price;
    if (price === sentPrice && verdict.reason === 'price_mismatch') {
      return priceUnit(price, verdict.error);
    }
    sentPrice = price;
    verdict = await requote.end({
      input: repriced(requote.input, price),
      idempotencyKey: derivedKey(requote.idempotencyKey, number),
      lookUpFirst: false,
    });
  }
  return verdict;
}

function isRepriced(verdict: Verdict): verdict is Extract<Verdict, { state: 'refused' }> {
  return (
    verdict.state === 'refused' &&
    (verdict.reason === 'price_mismatch' || verdict.reason === 'quote_expired')
  );
}

/** The price to place at; `undefined` if it is above what was paid, or in another currency. */
async function priceOf({ input, quote, call }: Requote): Promise<number | Verdict | undefined> {
  const { domain, currency, expected_price: paid } = input;
  try {
    const asked = { domain, ...(currency === undefined ? {} : { currency }) };
    const { price_cents: price, currency: quoted } = await quote(withSource(asked, input), call);
    // Its fields are not specified: a quote that cannot be read is no reason to pay the buyer back.
    if (typeof price !== 'number' || !Number.isInteger(price) || price <= 0) {
      const error = new TypeError('The response to POST /quotes states no price in "price_cents".');
      return { state: 'open', cause: 'unknown', error, retryAfterMs: undefined };
    }
    return price <= paid && !isOtherCurrency(quoted, currency) ? price : undefined;
  } catch (error) {
    // The service refuses to quote: the result on the sale stands.
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    return { state: 'open', cause: 'unknown', error, retryAfterMs };
  }
}

/** Without the quote: its id would differ after a crash, and the same price must give the same bytes. */
function repriced(input: OrderInput, price: number): OrderInput {
  const order = { ...input, expected_price: price };
  delete order.quote_id;
  return order;
}

/**
 * The service quotes the very price that it refuses. Believed, this would pay back every buyer, where only the
 * unit of `expected_price` is another one than is assumed.
 */
function priceUnit(price: number, refusal: unknown): Verdict {
  const message = `POST /orders refuses "expected_price": ${price} as a price_mismatch, though POST /quotes states this price. The service may take "expected_price" in another unit ("amounts.sent" of the profile, docs/assumptions.md). No order exists.`;
  const error = new MarketError(
    message,
    { method: 'POST', outcome: 'rejected' },
    { cause: refusal },
  );
  return { state: 'attention', reason: 'price_unit', candidates: [], error };
}

/** At most 255 characters: a long key is replaced by its hash. */
function derivedKey(idempotencyKey: string, number: number): string {
  const base =
    idempotencyKey.length <= 200
      ? idempotencyKey
      : createHash('sha256').update(idempotencyKey).digest('hex');
  return `${base}.requote-${number}`;
}
