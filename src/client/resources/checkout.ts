/** Hosted checkout: the service collects the payment (specification, part 4.3). */

import { endpoints } from '../endpoints.js';
import type { CallPromise } from '../results/call-promise.js';
import type { Engine } from '../engine/engine.js';
import type { CheckoutInput, CheckoutSession } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';

/** `market.checkout`: sell without collecting the payment yourself. */
export class Checkout {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Creates a hosted page on which the buyer pays and registers; the sale is attributed to you.
   * The page expires after 7 days. Scope: `embed`.
   *
   * `checkout_url` carries a signed token: the URL alone opens the page, so do not log it.
   * A second session does no harm, so this call is retried like a read.
   *
   * @throws {@link InvalidRequestError} when the input breaks a rule.
   * @throws {@link NotFoundError} when the domain is not listed.
   * @see specification, part 4.3: POST /checkout-session
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const session = await market.checkout.createSession({
   *   domain: 'brew.example',
   *   return_url: 'https://shop.example/thanks',
   *   cancel_url: 'https://shop.example/cart',
   * });
   * const redirectTo = session.checkout_url;
   * ```
   */
  createSession(input: CheckoutInput, options?: RequestOptions): CallPromise<CheckoutSession> {
    return this.#engine.call(endpoints.checkout.createSession, { body: input }, options);
  }
}
