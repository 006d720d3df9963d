/** Hosted checkout: the service collects the buyer's payment (specification, part 4.3). */

import type { Buyer } from './orders.js';

/**
 * A checkout page to create. The request's fields are not shown in the specification;
 * `domain` is the one that this package requires.
 *
 * @see specification, part 4.3: POST /checkout-session
 *
 * @example
 * ```ts
 * import type { CheckoutInput } from 'market-partner-sdk';
 *
 * const input: CheckoutInput = {
 *   domain: 'brew.example',
 *   return_url: 'https://partner.example/thanks',
 *   cancel_url: 'https://partner.example/basket',
 * };
 * ```
 */
export interface CheckoutInput {
  /** Domain to sell. Sent in lower-case ASCII form. @assumed part 4.3 */
  domain: string;
  /** Three-letter currency code; sent in upper case. @assumed part 4.3 */
  currency?: string | undefined;
  /** Price that you expect, in minor currency units: a whole number above zero. @assumed part 4.3 */
  expected_price?: number | undefined;
  /** Who buys, if you know. @assumed part 4.3 */
  buyer?: Buyer | undefined;
  /** Absolute http or https address that the buyer is sent to on success. @assumed part 4.3 */
  return_url?: string | undefined;
  /** Absolute http or https address that the buyer is sent to on cancel. @assumed part 4.3 */
  cancel_url?: string | undefined;
}

/**
 * A hosted page on which the buyer pays and registers. The sale is attributed to you. The page
 * expires seven days after creation.
 *
 * @see specification, parts 2, 4.3 and 8: POST /checkout-session
 *
 * @example
 * ```ts
 * import { MarketClient, type CheckoutSession } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const session: CheckoutSession = await market.checkout.createSession({ domain: 'brew.example' });
 * console.log(session.checkout_url);
 * ```
 */
export interface CheckoutSession {
  /** The address of the page, with a signed token in `pt`: anyone who has it can open the page (part 2). */
  checkout_url: string;
  /** Identifier of the session. @assumed part 4.3 */
  session_id?: string;
  /** The domain to be sold. @assumed part 4.3 */
  domain?: string;
  /** When the page expires, ISO 8601 UTC, seven days after creation. @assumed part 3 */
  expires_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
