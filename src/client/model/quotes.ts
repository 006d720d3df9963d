/** A firm price for ten minutes (specification, parts 3 and 4.2). */

/**
 * A quote to ask for. The request's fields are not shown in the specification; `domain` is the one
 * that this package requires.
 *
 * @see specification, part 4.2: POST /quotes
 *
 * @example
 * ```ts
 * import type { QuoteInput } from 'market-partner-sdk';
 *
 * const input: QuoteInput = { domain: 'brew.example', currency: 'USD' };
 * ```
 */
export interface QuoteInput {
  /** Domain to quote. Sent in lower-case ASCII form. @assumed part 4.2 */
  domain: string;
  /** Three-letter currency code; sent in upper case. @assumed part 4.2 */
  currency?: string | undefined;
  /** Price that you expect, in minor currency units: a whole number above zero. @assumed part 4.2 */
  expected_price?: number | undefined;
}

/**
 * A firm price, reserved for ten minutes; a later order with it fails with a `QuoteExpiredError`.
 * The specification names no field of it, so every field is assumed and may be absent.
 *
 * @see specification, parts 3, 4.2 and 8: POST /quotes
 *
 * @example
 * ```ts
 * import { MarketClient, type Quote } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const quote: Quote = await market.orders.quote({ domain: 'brew.example' });
 * console.log(quote.price_cents, quote.currency, quote.expires_at);
 * ```
 */
export interface Quote {
  /** Identifier of the quote, for `quote_id` of an order. @assumed part 2 */
  quote_id?: string;
  /** The signed quote token. @assumed part 4.2 */
  quote_token?: string;
  /** The quoted domain. @assumed part 4.2 */
  domain?: string;
  /** The firm price in minor currency units. @assumed part 4.2 */
  price_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.2 */
  currency?: string;
  /** End of the reservation, ISO 8601 UTC, ten minutes after the quote. @assumed part 3 */
  expires_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
