/** Every place where a caller hands something over. */

import type { MarketClient } from 'market-partner-sdk';

export interface InputPlace {
  readonly place: string;
  /** Where the call may go, below /api/partner/v1 and without the query. */
  readonly target: RegExp;
  readonly invoke: (market: MarketClient, value: unknown) => PromiseLike<unknown>;
}

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
const urls = { return_url: 'https://shop.example/ok', cancel_url: 'https://shop.example/no' };

/** An argument of its own. */
function argument(
  place: string,
  target: RegExp,
  invoke: (market: MarketClient, value: never) => PromiseLike<unknown>,
): InputPlace {
  return { place, target, invoke: invoke as InputPlace['invoke'] };
}

/** Each field of a record, and the record itself. */
function record(
  place: string,
  target: RegExp,
  valid: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  invoke: (market: MarketClient, value: never) => PromiseLike<unknown>,
): InputPlace[] {
  return [
    argument(place, target, invoke),
    ...[...fields, 'any_other_field'].map((field) =>
      argument(`${place}.${field}`, target, (market, value) =>
        invoke(market, { ...valid, [field]: value } as never),
      ),
    ),
  ];
}

const segment = '[^/?#]+';

export const inputPlaces: readonly InputPlace[] = [
  argument('domains.search', /^\/domains\/search$/, (market, q) => market.domains.search(q)),
  argument('domains.get', new RegExp(`^/domains/(?!search$)${segment}$`), (market, name) =>
    market.domains.get(name),
  ),
  argument('domains.checkAvailability', /^\/availability$/, (market, domain) =>
    market.domains.checkAvailability(domain),
  ),
  argument('domains.getPricing', /^\/pricing$/, (market, domain) =>
    market.domains.getPricing(domain),
  ),
  ...record(
    'orders.quote',
    /^\/quotes$/,
    { domain: 'brew.example' },
    ['domain', 'currency', 'expected_price'],
    (market, input) => market.orders.quote(input),
  ),
  ...record(
    'orders.create',
    /^\/orders$/,
    order,
    [
      ...['domain', 'expected_price', 'currency', 'buyer', 'return_url', 'cancel_url'],
      ...['quote_id', 'external_payment_ref'],
    ],
    (market, input) => market.orders.create(input),
  ),
  ...record(
    'orders.create buyer',
    /^\/orders$/,
    {},
    ['email', 'name', 'country'],
    (market, buyer) => market.orders.create({ ...order, buyer }),
  ),
  ...record(
    'orders.list',
    /^\/orders$/,
    {},
    ['status', 'domain', 'from', 'to', 'cursor', 'limit'],
    (market, filters) => market.orders.list(filters),
  ),
  argument('orders.get', new RegExp(`^/orders/${segment}$`), (market, id) => market.orders.get(id)),
  ...record(
    'orders.refund',
    /^\/refunds$/,
    { public_id: 'ord_1' },
    ['public_id', 'reason'],
    (market, input) => market.orders.refund(input),
  ),
  ...record('orders.listSettlements', /^\/settlements$/, {}, ['cursor', 'limit'], (market, page) =>
    market.orders.listSettlements(page),
  ),
  ...record(
    'orders.listTransactions',
    /^\/transactions$/,
    {},
    ['from', 'to', 'status', 'payment_model', 'cursor', 'limit'],
    (market, filters) => market.orders.listTransactions(filters),
  ),
  ...record(
    'checkout.createSession',
    /^\/checkout-session$/,
    { domain: 'brew.example', ...urls },
    ['domain', 'return_url', 'cancel_url', 'buyer'],
    (market, input) => market.checkout.createSession(input),
  ),
  argument('brokerage.checkEligibility', /^\/brokerage\/eligibility$/, (market, domain) =>
    market.brokerage.checkEligibility(domain),
  ),
  ...record(
    'brokerage.openCase',
    /^\/brokerage$/,
    { tier: 'managed', buyer_email: 'ada@buyer.example', budget: 5_000 },
    ['tier', 'buyer_email', 'budget', 'domain'],
    (market, input) => market.brokerage.openCase(input),
  ),
  argument('brokerage.getCase', new RegExp(`^/brokerage/${segment}$`), (market, id) =>
    market.brokerage.getCase(id),
  ),
  ...record(
    'referral.createLink',
    /^\/links$/,
    { type: 'domain', domain: 'brew.example' },
    ['type', 'domain'],
    (market, input) => market.referral.createLink(input),
  ),
  ...record('referral.getClicks', /^\/me\/clicks$/, {}, ['from', 'to'], (market, range) =>
    market.referral.getClicks(range),
  ),
  ...record('referral.getAnalytics', /^\/analytics$/, {}, ['from', 'to'], (market, range) =>
    market.referral.getAnalytics(range),
  ),
  ...record('events.list', /^\/events$/, {}, ['after_id', 'limit'], (market, page) =>
    market.events.list(page),
  ),
  ...record(
    'events.registerWebhook',
    /^\/api\/partner\/webhooks$/,
    { url: 'https://shop.example/hooks', secret: 'whsec_of_these_tests' },
    ['url', 'secret'],
    (market, input) => market.events.registerWebhook(input),
  ),
];

export const requestOptions = ['timeoutMs', 'deadlineMs', 'maxRetries', 'idempotencyKey'] as const;

export const clientOptions = [
  ...['baseUrl', 'keyId', 'secret', 'timeoutMs', 'deadlineMs', 'maxRetries'],
  ...['validateResponses', 'fetch', 'clock', 'random', 'sleep', 'forbidLive'],
] as const;
