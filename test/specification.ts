/**
 * The endpoints of the specification (part 4), row by row, each with a call of the client. It is written
 * from the specification and imports no code of the package: the client's table of endpoints and the
 * emulator's are compared with it. A new endpoint is a row here.
 */

import type { CallPromise, MarketClient, RequestOptions } from 'market-partner-sdk';
import type { Scope } from 'market-partner-sdk/testing';

/** Records that the calls below are about. */
export interface Given {
  readonly publicId: string;
  readonly caseId: string;
}

interface Row {
  /** The method of the client: `orders.create`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path below /api/partner, with the names of its parameters. */
  readonly path: string;
  /** Any one of these is enough. */
  readonly scopes: readonly Scope[];
  /** The request carries an Idempotency-Key. */
  readonly keyed?: true;
  /** A second request may do harm, so the client never repeats it. */
  readonly harmful?: true;
  /** The response is a list in pages. */
  readonly paged?: true;
  /** A valid call: its arguments without the options. */
  readonly args: (given: Given) => readonly unknown[];
  /** The canonical query of that call. */
  readonly query?: string;
  /** The bytes of the body of that call. */
  readonly body?: string;
}

export interface CallRow extends Row {
  /** Path and query on the wire below /api/partner, for `publicId` ord_1 and `caseId` case_1. */
  readonly target: string;
  /** The call as the specification writes it, relative to /api/partner/v1: `GET /orders/ord_1`. */
  readonly call: string;
  readonly invoke: (
    market: MarketClient,
    given: Given,
    options?: RequestOptions,
  ) => CallPromise<unknown>;
}

const january = { from: '2026-01-01', to: '2026-01-31' };

const rows: readonly Row[] = [
  {
    name: 'domains.search',
    method: 'GET',
    path: '/v1/domains/search',
    scopes: ['search'],
    args: () => ['brew & "café" (it\'s!)*'],
    query: 'q=brew%20%26%20%22caf%C3%A9%22%20%28it%27s%21%29%2A',
  },
  {
    name: 'domains.get',
    method: 'GET',
    path: '/v1/domains/{name}',
    scopes: ['search'],
    args: () => ['Brew.Example'],
  },
  {
    name: 'domains.checkAvailability',
    method: 'GET',
    path: '/v1/availability',
    scopes: ['search'],
    args: () => ['münchen.example'],
    query: 'domain=xn--mnchen-3ya.example',
  },
  {
    name: 'domains.getPricing',
    method: 'GET',
    path: '/v1/pricing',
    scopes: ['search'],
    args: () => ['brew.example.'],
    query: 'domain=brew.example',
  },
  {
    name: 'orders.quote',
    method: 'POST',
    path: '/v1/quotes',
    scopes: ['buy'],
    args: () => [{ domain: 'brew.example', currency: 'usd' }],
    body: '{"currency":"USD","domain":"brew.example"}',
  },
  {
    name: 'orders.create',
    method: 'POST',
    path: '/v1/orders',
    scopes: ['buy'],
    keyed: true,
    args: () => [
      {
        domain: 'brew.example',
        expected_price: 250_000,
        currency: 'USD',
        buyer: { email: 'ada@buyer.example', country: 'gb' },
        external_payment_ref: 'payment-1001',
      },
    ],
    body: '{"buyer":{"country":"GB","email":"ada@buyer.example"},"currency":"USD","domain":"brew.example","expected_price":250000,"external_payment_ref":"payment-1001"}',
  },
  {
    name: 'orders.list',
    method: 'GET',
    path: '/v1/orders',
    scopes: ['buy', 'search'],
    paged: true,
    args: () => [
      {
        status: 'EXTERNALLY_PAID',
        domain: 'Brew.example',
        from: '2026-01-01',
        to: new Date(Date.UTC(2199, 11, 31, 23, 59, 59)),
        limit: 2,
      },
    ],
    query:
      'domain=brew.example&from=2026-01-01&limit=2&status=EXTERNALLY_PAID&to=2199-12-31T23%3A59%3A59.000Z',
  },
  {
    name: 'orders.get',
    method: 'GET',
    path: '/v1/orders/{public_id}',
    scopes: ['buy', 'search'],
    args: ({ publicId }) => [publicId],
  },
  {
    name: 'orders.listSettlements',
    method: 'GET',
    path: '/v1/settlements',
    scopes: ['buy'],
    paged: true,
    args: () => [undefined],
  },
  {
    name: 'orders.listTransactions',
    method: 'GET',
    path: '/v1/transactions',
    scopes: ['report'],
    paged: true,
    args: () => [{ ...january, status: 'SETTLED', payment_model: 'partner_collected' }],
    query: 'from=2026-01-01&payment_model=partner_collected&status=SETTLED&to=2026-01-31',
  },
  {
    name: 'orders.listPayouts',
    method: 'GET',
    path: '/v1/payouts',
    scopes: ['report'],
    paged: true,
    args: () => [{ limit: 5 }],
    query: 'limit=5',
  },
  {
    name: 'checkout.createSession',
    method: 'POST',
    path: '/v1/checkout-session',
    scopes: ['embed'],
    args: () => [
      {
        domain: 'coffee.example',
        return_url: 'https://shop.example/thanks?order=1&to=a',
        cancel_url: 'https://shop.example/cart',
      },
    ],
    body: '{"cancel_url":"https://shop.example/cart","domain":"coffee.example","return_url":"https://shop.example/thanks?order=1&to=a"}',
  },
  {
    name: 'brokerage.checkEligibility',
    method: 'GET',
    path: '/v1/brokerage/eligibility',
    scopes: ['broker'],
    args: () => ['wanted.example'],
    query: 'domain=wanted.example',
  },
  {
    name: 'brokerage.openCase',
    method: 'POST',
    path: '/v1/brokerage',
    scopes: ['broker'],
    harmful: true,
    args: () => [
      {
        tier: 'managed',
        buyer_email: 'ada@buyer.example',
        budget: 5000.5,
        domain: 'sought.example',
      },
    ],
    body: '{"budget":5000.5,"buyer_email":"ada@buyer.example","domain":"sought.example","tier":"managed"}',
  },
  {
    name: 'brokerage.getCase',
    method: 'GET',
    path: '/v1/brokerage/{case_id}',
    scopes: ['broker'],
    args: ({ caseId }) => [caseId],
  },
  {
    name: 'brokerage.listCases',
    method: 'GET',
    path: '/v1/brokerage',
    scopes: ['report'],
    paged: true,
    args: () => [{}],
  },
  {
    name: 'referral.createLink',
    method: 'POST',
    path: '/v1/links',
    scopes: ['refer'],
    args: () => [{ type: 'domain', domain: 'brew.example' }],
    body: '{"domain":"brew.example","type":"domain"}',
  },
  {
    name: 'referral.listLinks',
    method: 'GET',
    path: '/v1/links',
    scopes: ['refer'],
    paged: true,
    args: () => [undefined],
  },
  {
    name: 'referral.getClicks',
    method: 'GET',
    path: '/v1/me/clicks',
    scopes: ['report'],
    args: () => [january],
    query: 'from=2026-01-01&to=2026-01-31',
  },
  {
    name: 'referral.listSales',
    method: 'GET',
    path: '/v1/me/sales',
    scopes: ['report'],
    paged: true,
    args: () => [{ from: '2026-01-01' }],
    query: 'from=2026-01-01',
  },
  {
    name: 'referral.listCommissions',
    method: 'GET',
    path: '/v1/me/commissions',
    scopes: ['report'],
    paged: true,
    args: () => [{ to: '2026-01-31' }],
    query: 'to=2026-01-31',
  },
  {
    name: 'referral.listPayouts',
    method: 'GET',
    path: '/v1/me/payouts',
    scopes: ['report'],
    paged: true,
    args: () => [{}],
  },
  {
    name: 'referral.getAnalytics',
    method: 'GET',
    path: '/v1/analytics',
    scopes: ['report'],
    args: () => [january],
    query: 'from=2026-01-01&to=2026-01-31',
  },
  {
    name: 'events.list',
    method: 'GET',
    path: '/v1/events',
    scopes: ['webhook'],
    paged: true,
    args: () => [{ limit: 100 }],
    query: 'limit=100',
  },
  {
    name: 'events.registerWebhook',
    method: 'PUT',
    path: '/webhooks',
    scopes: ['webhook'],
    args: () => [{ url: 'https://shop.example/hooks', secret: 'whsec_5f0d' }],
    body: '{"secret":"whsec_5f0d","url":"https://shop.example/hooks"}',
  },
  // After the reads of the order that it refunds.
  {
    name: 'orders.refund',
    method: 'POST',
    path: '/v1/refunds',
    scopes: ['buy'],
    harmful: true,
    args: ({ publicId }) => [{ public_id: publicId, reason: 'buyer withdrew' }],
    body: '{"public_id":"ord_1","reason":"buyer withdrew"}',
  },
];

const params = { name: 'brew.example', public_id: 'ord_1', case_id: 'case_1' };

export const everyCall: readonly CallRow[] = rows.map((row) => {
  const path = Object.entries(params).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, value),
    row.path,
  );
  const relative = path.startsWith('/v1/') ? path.slice('/v1'.length) : `/api/partner${path}`;
  return {
    ...row,
    target: row.query === undefined ? path : `${path}?${row.query}`,
    call: `${row.method} ${relative}`,
    invoke: (market, given, options) => callMethod(market, row.name, [...row.args(given), options]),
  };
});

/** Calls a method of the client by its name, with any arguments. */
export function callMethod(
  market: MarketClient,
  name: string,
  args: readonly unknown[],
): CallPromise<unknown> {
  const [group = '', method = ''] = name.split('.');
  const groups = market as unknown as Record<
    string,
    Record<string, (...args: readonly unknown[]) => CallPromise<unknown>>
  >;
  return groups[group]![method]!(...args);
}
