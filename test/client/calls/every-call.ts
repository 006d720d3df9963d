/** The 27 calls of the client, each with what the specification says of it (part 4). */

import type { CallPromise, MarketClient, RequestOptions } from 'market-partner-sdk';
import type { Scope } from 'market-partner-sdk/testing';

/** Records that the calls below are about. */
export interface Given {
  readonly publicId: string;
  readonly caseId: string;
}

export interface CallRow {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path on the wire below /api/partner, for `publicId` ord_1 and `caseId` case_1. */
  readonly target: string;
  /** The body's bytes. */
  readonly body?: string;
  /** Any one of these will do. */
  readonly scopes: readonly Scope[];
  readonly keyed?: true;
  /** The answer is a list in pages. */
  readonly paged?: true;
  readonly invoke: (
    market: MarketClient,
    given: Given,
    options?: RequestOptions,
  ) => CallPromise<unknown>;
}

const january = { from: '2026-01-01', to: '2026-01-31' };

export const everyCall: readonly CallRow[] = [
  {
    name: 'domains.search',
    method: 'GET',
    target: '/v1/domains/search?q=brew%20%26%20%22caf%C3%A9%22%20%28it%27s%21%29%2A',
    scopes: ['search'],
    invoke: (market, _given, options) => market.domains.search('brew & "café" (it\'s!)*', options),
  },
  {
    name: 'domains.get',
    method: 'GET',
    target: '/v1/domains/brew.example',
    scopes: ['search'],
    invoke: (market, _given, options) => market.domains.get('Brew.Example', options),
  },
  {
    name: 'domains.checkAvailability',
    method: 'GET',
    target: '/v1/availability?domain=xn--mnchen-3ya.example',
    scopes: ['search'],
    invoke: (market, _given, options) =>
      market.domains.checkAvailability('münchen.example', options),
  },
  {
    name: 'domains.getPricing',
    method: 'GET',
    target: '/v1/pricing?domain=brew.example',
    scopes: ['search'],
    invoke: (market, _given, options) => market.domains.getPricing('brew.example.', options),
  },
  {
    name: 'orders.quote',
    method: 'POST',
    target: '/v1/quotes',
    body: '{"currency":"USD","domain":"brew.example"}',
    scopes: ['buy'],
    invoke: (market, _given, options) =>
      market.orders.quote({ domain: 'brew.example', currency: 'usd' }, options),
  },
  {
    name: 'orders.create',
    method: 'POST',
    target: '/v1/orders',
    body: '{"buyer":{"country":"GB","email":"ada@buyer.example"},"currency":"USD","domain":"brew.example","expected_price":250000,"external_payment_ref":"payment-1001"}',
    scopes: ['buy'],
    keyed: true,
    invoke: (market, _given, options) =>
      market.orders.create(
        {
          domain: 'brew.example',
          expected_price: 250_000,
          currency: 'USD',
          buyer: { email: 'ada@buyer.example', country: 'gb' },
          external_payment_ref: 'payment-1001',
        },
        options,
      ),
  },
  {
    name: 'orders.list',
    method: 'GET',
    target:
      '/v1/orders?domain=brew.example&from=2026-01-01&limit=2&status=EXTERNALLY_PAID&to=2199-12-31T23%3A59%3A59.000Z',
    scopes: ['buy', 'search'],
    paged: true,
    invoke: (market, _given, options) =>
      market.orders.list(
        {
          status: 'EXTERNALLY_PAID',
          domain: 'Brew.example',
          from: '2026-01-01',
          to: new Date(Date.UTC(2199, 11, 31, 23, 59, 59)),
          limit: 2,
        },
        options,
      ),
  },
  {
    name: 'orders.get',
    method: 'GET',
    target: '/v1/orders/ord_1',
    scopes: ['buy', 'search'],
    invoke: (market, { publicId }, options) => market.orders.get(publicId, options),
  },
  {
    name: 'orders.listSettlements',
    method: 'GET',
    target: '/v1/settlements',
    scopes: ['buy'],
    paged: true,
    invoke: (market, _given, options) => market.orders.listSettlements(undefined, options),
  },
  {
    name: 'orders.listTransactions',
    method: 'GET',
    target:
      '/v1/transactions?from=2026-01-01&payment_model=partner_collected&status=SETTLED&to=2026-01-31',
    scopes: ['report'],
    paged: true,
    invoke: (market, _given, options) =>
      market.orders.listTransactions(
        { ...january, status: 'SETTLED', payment_model: 'partner_collected' },
        options,
      ),
  },
  {
    name: 'orders.listPayouts',
    method: 'GET',
    target: '/v1/payouts?limit=5',
    scopes: ['report'],
    paged: true,
    invoke: (market, _given, options) => market.orders.listPayouts({ limit: 5 }, options),
  },
  {
    name: 'checkout.createSession',
    method: 'POST',
    target: '/v1/checkout-session',
    body: '{"cancel_url":"https://shop.example/cart","domain":"coffee.example","return_url":"https://shop.example/thanks?order=1&to=a"}',
    scopes: ['embed'],
    invoke: (market, _given, options) =>
      market.checkout.createSession(
        {
          domain: 'coffee.example',
          return_url: 'https://shop.example/thanks?order=1&to=a',
          cancel_url: 'https://shop.example/cart',
        },
        options,
      ),
  },
  {
    name: 'brokerage.checkEligibility',
    method: 'GET',
    target: '/v1/brokerage/eligibility?domain=wanted.example',
    scopes: ['broker'],
    invoke: (market, _given, options) =>
      market.brokerage.checkEligibility('wanted.example', options),
  },
  {
    name: 'brokerage.openCase',
    method: 'POST',
    target: '/v1/brokerage',
    body: '{"budget":5000.5,"buyer_email":"ada@buyer.example","domain":"sought.example","tier":"managed"}',
    scopes: ['broker'],
    invoke: (market, _given, options) =>
      market.brokerage.openCase(
        {
          tier: 'managed',
          buyer_email: 'ada@buyer.example',
          budget: 5000.5,
          domain: 'sought.example',
        },
        options,
      ),
  },
  {
    name: 'brokerage.getCase',
    method: 'GET',
    target: '/v1/brokerage/case_1',
    scopes: ['broker'],
    invoke: (market, { caseId }, options) => market.brokerage.getCase(caseId, options),
  },
  {
    name: 'brokerage.listCases',
    method: 'GET',
    target: '/v1/brokerage',
    scopes: ['report'],
    paged: true,
    invoke: (market, _given, options) => market.brokerage.listCases({}, options),
  },
  {
    name: 'referral.createLink',
    method: 'POST',
    target: '/v1/links',
    body: '{"domain":"brew.example","type":"domain"}',
    scopes: ['refer'],
    invoke: (market, _given, options) =>
      market.referral.createLink({ type: 'domain', domain: 'brew.example' }, options),
  },
  {
    name: 'referral.listLinks',
    method: 'GET',
    target: '/v1/links',
    scopes: ['refer'],
    paged: true,
    invoke: (market, _given, options) => market.referral.listLinks(undefined, options),
  },
  {
    name: 'referral.getClicks',
    method: 'GET',
    target: '/v1/me/clicks?from=2026-01-01&to=2026-01-31',
    scopes: ['report'],
    invoke: (market, _given, options) => market.referral.getClicks(january, options),
  },
  {
    name: 'referral.listSales',
    method: 'GET',
    target: '/v1/me/sales?from=2026-01-01',
    scopes: ['report'],
    paged: true,
    invoke: (market, _given, options) => market.referral.listSales({ from: '2026-01-01' }, options),
  },
  {
    name: 'referral.listCommissions',
    method: 'GET',
    target: '/v1/me/commissions?to=2026-01-31',
    scopes: ['report'],
    paged: true,
    invoke: (market, _given, options) =>
      market.referral.listCommissions({ to: '2026-01-31' }, options),
  },
  {
    name: 'referral.listPayouts',
    method: 'GET',
    target: '/v1/me/payouts',
    scopes: ['report'],
    paged: true,
    invoke: (market, _given, options) => market.referral.listPayouts({}, options),
  },
  {
    name: 'referral.getAnalytics',
    method: 'GET',
    target: '/v1/analytics?from=2026-01-01&to=2026-01-31',
    scopes: ['report'],
    invoke: (market, _given, options) => market.referral.getAnalytics(january, options),
  },
  {
    name: 'events.list',
    method: 'GET',
    target: '/v1/events?limit=100',
    scopes: ['webhook'],
    paged: true,
    invoke: (market, _given, options) => market.events.list({ limit: 100 }, options),
  },
  {
    name: 'events.registerWebhook',
    method: 'PUT',
    target: '/webhooks',
    body: '{"secret":"whsec_5f0d","url":"https://shop.example/hooks"}',
    scopes: ['webhook'],
    invoke: (market, _given, options) =>
      market.events.registerWebhook(
        { url: 'https://shop.example/hooks', secret: 'whsec_5f0d' },
        options,
      ),
  },
  // After the reads of the order that it refunds.
  {
    name: 'orders.refund',
    method: 'POST',
    target: '/v1/refunds',
    body: '{"public_id":"ord_1","reason":"buyer withdrew"}',
    scopes: ['buy'],
    invoke: (market, { publicId }, options) =>
      market.orders.refund({ public_id: publicId, reason: 'buyer withdrew' }, options),
  },
];
