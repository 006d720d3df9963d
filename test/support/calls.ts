/** One call of each kind that the retry table tells apart. */

import type { MarketClient, RequestOptions } from 'market-partner-sdk';

type Invoke = (market: MarketClient, options?: RequestOptions) => Promise<unknown>;

const checkoutUrls = {
  return_url: 'https://shop.example/ok',
  cancel_url: 'https://shop.example/no',
};

/** Reads, registrations, and orders with their key: a repeat changes nothing. */
export const safeCalls: Record<string, Invoke> = {
  'domains.search': (market, options) => market.domains.search("coffee & tea's", options),
  'orders.get': (market, options) => market.orders.get('ord_1001', options),
  'events.registerWebhook': (market, options) =>
    market.events.registerWebhook(
      { url: 'https://shop.example/hooks', secret: 'whsec_of_these_tests' },
      options,
    ),
  'orders.create': (market, options) =>
    market.orders.create(
      { domain: 'brew.example', expected_price: 250_000, currency: 'USD' },
      options,
    ),
};

/** A repeat leaves a second one, which does no harm. */
export const repeatableCalls: Record<string, Invoke> = {
  'orders.quote': (market, options) => market.orders.quote({ domain: 'brew.example' }, options),
  'checkout.createSession': (market, options) =>
    market.checkout.createSession({ domain: 'brew.example', ...checkoutUrls }, options),
  'referral.createLink': (market, options) =>
    market.referral.createLink({ type: 'generic' }, options),
};

/** A repeat could pay or open twice. */
export const harmfulCalls: Record<string, Invoke> = {
  'orders.refund': (market, options) => market.orders.refund({ public_id: 'ord_1001' }, options),
  'brokerage.openCase': (market, options) =>
    market.brokerage.openCase(
      { tier: 'managed', buyer_email: 'ada@buyer.example', budget: 5_000 },
      options,
    ),
};

export const allCalls: Record<string, Invoke> = {
  ...safeCalls,
  ...repeatableCalls,
  ...harmfulCalls,
};
