/**
 * The whole API as one table: 26 endpoints, each with what the specification says of it.
 *
 * `repeatable` decides the retry column: a repeat of a read, of a registration or of a keyed order
 * changes nothing, and a second quote, session or link does no harm; a second refund or brokerage
 * case could. `documents` lists the result's documented fields, of which `validateResponses` speaks.
 */

import type { Scope } from './model/index.js';

/** What a documented field holds. */
export type FieldKind = 'string' | 'integer' | 'boolean' | 'object';

/** One row of the table. */
export interface Endpoint {
  /** The call's name in this SDK, for logs and traces. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Full path with the names of its parameters, without the base URL's prefix. */
  readonly path: string;
  /** The scopes of which the credential needs one. */
  readonly scopes: readonly Scope[];
  /** Carries an Idempotency-Key. */
  readonly keyed: boolean;
  /** Whether a repeat after an unknown outcome does no harm. */
  readonly repeatable: boolean;
  /** The noun by which an envelope may hold the list; absent for single records. */
  readonly list?: string;
  /** The query parameter that takes the cursor, where it is documented. */
  readonly cursor?: string;
  /** The documented fields of the record, or of each record of the list. */
  readonly documents: readonly DocumentedField[];
}

/** A documented field's name, and what it holds. */
export type DocumentedField = readonly [name: string, kind: FieldKind];

const v1 = '/api/partner/v1';

const order = fields({
  public_id: 'string',
  domain: 'string',
  status: 'string',
  sale_price_cents: 'integer',
  currency: 'string',
});

export const endpoints = {
  domains: {
    search: read('domains.search', '/domains/search', ['search'], { list: 'domains' }),
    get: read('domains.get', '/domains/{name}', ['search']),
    checkAvailability: read('domains.checkAvailability', '/availability', ['search'], {
      documents: fields({ available: 'boolean' }),
    }),
    getPricing: read('domains.getPricing', '/pricing', ['search']),
  },
  orders: {
    quote: write('orders.quote', '/quotes', ['buy'], { repeatable: true }),
    create: write('orders.create', '/orders', ['buy'], {
      keyed: true,
      repeatable: true,
      documents: order,
    }),
    list: read('orders.list', '/orders', ['buy', 'search'], { list: 'orders', documents: order }),
    get: read('orders.get', '/orders/{public_id}', ['buy', 'search'], { documents: order }),
    refund: write('orders.refund', '/refunds', ['buy'], { repeatable: false }),
    listSettlements: read('orders.listSettlements', '/settlements', ['buy'], {
      list: 'settlements',
    }),
    listTransactions: read('orders.listTransactions', '/transactions', ['report'], {
      list: 'transactions',
    }),
    listPayouts: read('orders.listPayouts', '/payouts', ['report'], { list: 'payouts' }),
  },
  checkout: {
    createSession: write('checkout.createSession', '/checkout-session', ['embed'], {
      repeatable: true,
      documents: fields({ checkout_url: 'string' }),
    }),
  },
  brokerage: {
    checkEligibility: read('brokerage.checkEligibility', '/brokerage/eligibility', ['broker']),
    openCase: write('brokerage.openCase', '/brokerage', ['broker'], { repeatable: false }),
    getCase: read('brokerage.getCase', '/brokerage/{case_id}', ['broker']),
    listCases: read('brokerage.listCases', '/brokerage', ['report'], { list: 'cases' }),
  },
  referral: {
    createLink: write('referral.createLink', '/links', ['refer'], { repeatable: true }),
    listLinks: read('referral.listLinks', '/links', ['refer'], { list: 'links' }),
    getClicks: read('referral.getClicks', '/me/clicks', ['report']),
    listSales: read('referral.listSales', '/me/sales', ['report'], { list: 'sales' }),
    listCommissions: read('referral.listCommissions', '/me/commissions', ['report'], {
      list: 'commissions',
    }),
    listPayouts: read('referral.listPayouts', '/me/payouts', ['report'], { list: 'payouts' }),
    getAnalytics: read('referral.getAnalytics', '/analytics', ['report']),
  },
  events: {
    list: read('events.list', '/events', ['webhook'], {
      list: 'events',
      cursor: 'after_id',
      documents: fields({ id: 'string', type: 'string', created_at: 'string', data: 'object' }),
    }),
    registerWebhook: {
      name: 'events.registerWebhook',
      method: 'PUT',
      // The one path without a version segment (specification, part 9).
      path: '/api/partner/webhooks',
      scopes: ['webhook'],
      keyed: false,
      repeatable: true,
      documents: fields({ url: 'string', active: 'boolean', created_at: 'string' }),
    },
  },
} as const satisfies Record<string, Record<string, Endpoint>>;

type Details = Partial<Pick<Endpoint, 'keyed' | 'repeatable' | 'list' | 'cursor' | 'documents'>>;

function read(
  name: string,
  path: string,
  scopes: readonly Scope[],
  details: Details = {},
): Endpoint {
  return { ...shape(name, path, scopes), method: 'GET', repeatable: true, ...details };
}

function write(
  name: string,
  path: string,
  scopes: readonly Scope[],
  details: Details & Pick<Endpoint, 'repeatable'>,
): Endpoint {
  return { ...shape(name, path, scopes), method: 'POST', ...details };
}

function shape(name: string, path: string, scopes: readonly Scope[]) {
  return { name, path: v1 + path, scopes, keyed: false, documents: [] };
}

function fields(kinds: Readonly<Record<string, FieldKind>>): readonly DocumentedField[] {
  return Object.entries(kinds);
}

/** The row of a method and a concrete path, for `market.request`. */
export function endpointOf(method: string, path: string): Endpoint | undefined {
  const rows: Endpoint[] = Object.values(endpoints).flatMap((group) => Object.values(group));
  const fits = rows.filter((row) => row.method === method && matches(row.path, path));
  // A literal path wins over one with a parameter: /domains/search over /domains/{name}.
  return fits.find((row) => !row.path.includes('{')) ?? fits[0];
}

/** Paths of the versioned API may be given without their prefix: `/orders` for `/api/partner/v1/orders`. */
export function fullPath(path: string): string {
  return path.startsWith('/api/') ? path : v1 + path;
}

function matches(template: string, path: string): boolean {
  const names = template.split('/');
  const segments = path.split('/');
  return (
    names.length === segments.length &&
    names.every((name, index) => name.startsWith('{') || name === segments[index])
  );
}
