/**
 * `endpoints`: the whole API as one table, with what the specification says of each.
 *
 * `repeatable` decides the retry column. A repeat of a read, a registration or an order with its key
 * changes nothing. A second quote, session or link is harmless. A second refund or brokerage case
 * could do harm.
 */

import {
  analyticsRange,
  brokerageCaseInput,
  checkoutInput,
  dateRange,
  domainFilter,
  domainName,
  eventsQuery,
  linkInput,
  orderFilters,
  orderInput,
  pagedDateRange,
  pageRequest,
  pathId,
  quoteInput,
  refundInput,
  searchFilters,
  transactionFilters,
  webhookInput,
} from './input/index.js';
import type { Scope } from './model/index.js';
import type { LazySchema, Schema } from '../core/schema/must.js';
import type { RecordSchema } from '../core/schema/records.js';
import type { RecordName } from './record-fields.js';

export type FieldKind = 'string' | 'integer' | 'boolean' | 'object';

type DocumentedField = readonly [name: string, kind: FieldKind];

/** The schema of an argument, and the name of that argument in error messages. */
export interface Argument<Schema> {
  readonly name: string;
  readonly schema: Schema;
}

/** One row of the table. */
export interface Endpoint {
  /** The call's name in this SDK, for logs and traces. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Full path with the name of its parameter in braces, without the base URL's prefix. */
  readonly path: string;
  /** The scopes of which the credential needs one. */
  readonly scopes: readonly Scope[];
  /** The parameter of the path; absent if the path has none. */
  readonly param?: Argument<LazySchema<Schema<string>>> | undefined;
  /** The query; absent if the endpoint takes none. */
  readonly query?: Argument<RecordSchema<object>>;
  /** The body; absent if the endpoint takes none. */
  readonly body?: Argument<RecordSchema<object>>;
  /** The fields of the body that must not appear in an error. */
  readonly secretFields?: readonly string[];
  /** `'required'`: the client creates an Idempotency-Key if the caller passes none. */
  readonly idempotencyKey?: 'required';
  /** Whether a repeat after an unknown outcome does no harm. */
  readonly repeatable: boolean;
  /** How a caller finds out whether a write was done, as the end of a sentence. */
  readonly lookUpHint?: string;
  /** Works only for a credential that is linked to an affiliate account (specification, part 4.6). */
  readonly needsAffiliateAccount?: true;
  /** The field that each successful response has; without it, a gateway may have sent the response. */
  readonly identifiedBy?: string;
  /** The field in which an envelope may hold the list; absent for single records. */
  readonly listField?: string;
  /** The query parameter that takes the cursor, where it is documented. */
  readonly cursorParam?: string;
  /** The record that a response holds, or a list of it. */
  readonly record: RecordName;
  /** Whether a 2xx without a body says all: the request was received, or the registration is made. */
  readonly receivedWhenEmpty?: true;
  /** The documented fields of the record, or of each record of the list. */
  readonly documentedFields: readonly DocumentedField[];
}

/** The path prefix of the versioned API (specification, part 9). */
export const v1 = '/api/partner/v1';

const order = fields({
  public_id: 'string',
  domain: 'string',
  status: 'string',
  sale_price_cents: 'integer',
  currency: 'string',
});

export const endpoints = {
  domains: {
    search: read('domains.search', '/domains/search', ['search'], {
      record: 'domain',
      query: named('query', searchFilters),
      listField: 'domains',
    }),
    get: read('domains.get', '/domains/{name}', ['search'], {
      record: 'domain',
      param: named('name', domainName),
    }),
    checkAvailability: read('domains.checkAvailability', '/availability', ['search'], {
      record: 'availability',
      query: named('query', domainFilter),
      documentedFields: fields({ available: 'boolean' }),
    }),
    getPricing: read('domains.getPricing', '/pricing', ['search'], {
      record: 'pricing',
      query: named('query', domainFilter),
    }),
  },
  orders: {
    quote: write('orders.quote', '/quotes', ['buy'], {
      record: 'quote',
      body: named('input', quoteInput),
      repeatable: true,
    }),
    create: write('orders.create', '/orders', ['buy'], {
      record: 'order',
      body: named('input', orderInput),
      idempotencyKey: 'required',
      repeatable: true,
      identifiedBy: 'public_id',
      documentedFields: order,
    }),
    list: read('orders.list', '/orders', ['buy', 'search'], {
      record: 'order',
      query: named('filters', orderFilters),
      listField: 'orders',
      documentedFields: order,
    }),
    get: read('orders.get', '/orders/{public_id}', ['buy', 'search'], {
      record: 'detail',
      param: named('publicId', pathId),
      documentedFields: order,
    }),
    refund: write('orders.refund', '/refunds', ['buy'], {
      record: 'refund',
      body: named('input', refundInput),
      repeatable: false,
      lookUpHint: 'with orders.resumeRefund',
      receivedWhenEmpty: true,
    }),
    listSettlements: read('orders.listSettlements', '/settlements', ['buy'], {
      record: 'settlement',
      query: named('page', pageRequest),
      listField: 'settlements',
    }),
    listTransactions: read('orders.listTransactions', '/transactions', ['report'], {
      record: 'transaction',
      query: named('filters', transactionFilters),
      listField: 'transactions',
    }),
    listPayouts: read('orders.listPayouts', '/payouts', ['report'], {
      record: 'payout',
      query: named('page', pageRequest),
      listField: 'payouts',
    }),
  },
  checkout: {
    createSession: write('checkout.createSession', '/checkout-session', ['embed'], {
      record: 'session',
      body: named('input', checkoutInput),
      repeatable: true,
      identifiedBy: 'checkout_url',
      documentedFields: fields({ checkout_url: 'string' }),
    }),
  },
  brokerage: {
    checkEligibility: read('brokerage.checkEligibility', '/brokerage/eligibility', ['broker'], {
      record: 'eligibility',
      query: named('query', domainFilter),
    }),
    openCase: write('brokerage.openCase', '/brokerage', ['broker'], {
      record: 'case',
      body: named('input', brokerageCaseInput),
      repeatable: false,
      lookUpHint: 'with brokerage.resumeCase',
    }),
    getCase: read('brokerage.getCase', '/brokerage/{case_id}', ['broker'], {
      record: 'case',
      param: named('caseId', pathId),
    }),
    listCases: read('brokerage.listCases', '/brokerage', ['report'], {
      record: 'case',
      query: named('page', pageRequest),
      listField: 'cases',
    }),
  },
  referral: {
    createLink: write('referral.createLink', '/links', ['refer'], {
      record: 'link',
      body: named('input', linkInput),
      repeatable: true,
      needsAffiliateAccount: true,
    }),
    listLinks: affiliateRead('referral.listLinks', '/links', ['refer'], {
      record: 'link',
      query: named('page', pageRequest),
      listField: 'links',
    }),
    getClicks: affiliateRead('referral.getClicks', '/me/clicks', ['report'], {
      record: 'clicks',
      query: named('range', dateRange),
    }),
    listSales: affiliateRead('referral.listSales', '/me/sales', ['report'], {
      record: 'sale',
      query: named('range', pagedDateRange),
      listField: 'sales',
    }),
    listCommissions: affiliateRead('referral.listCommissions', '/me/commissions', ['report'], {
      record: 'commission',
      query: named('range', pagedDateRange),
      listField: 'commissions',
    }),
    listPayouts: affiliateRead('referral.listPayouts', '/me/payouts', ['report'], {
      record: 'referral_payout',
      query: named('range', pagedDateRange),
      listField: 'payouts',
    }),
    getAnalytics: affiliateRead('referral.getAnalytics', '/analytics', ['report'], {
      record: 'analytics',
      query: named('range', analyticsRange),
    }),
  },
  events: {
    list: read('events.list', '/events', ['webhook'], {
      record: 'event',
      query: named('query', eventsQuery),
      listField: 'events',
      cursorParam: 'after_id',
      documentedFields: fields({
        id: 'string',
        type: 'string',
        created_at: 'string',
        data: 'object',
      }),
    }),
    registerWebhook: {
      name: 'events.registerWebhook',
      method: 'PUT',
      // The one path without a version segment (specification, part 9).
      path: '/api/partner/webhooks',
      scopes: ['webhook'],
      body: named('input', webhookInput),
      secretFields: ['secret'],
      record: 'webhook',
      receivedWhenEmpty: true,
      repeatable: true,
      identifiedBy: 'url',
      documentedFields: fields({ url: 'string', active: 'boolean', created_at: 'string' }),
    },
  },
} as const satisfies Record<string, Record<string, Endpoint>>;

type Details = Partial<Omit<Endpoint, 'name' | 'method' | 'path' | 'scopes' | 'record'>> &
  Pick<Endpoint, 'record'>;

function read(name: string, path: string, scopes: readonly Scope[], details: Details): Endpoint {
  return { ...baseEndpoint(name, path, scopes), method: 'GET', repeatable: true, ...details };
}

function affiliateRead(
  name: string,
  path: string,
  scopes: readonly Scope[],
  details: Details,
): Endpoint {
  return read(name, path, scopes, { needsAffiliateAccount: true, ...details });
}

function write(
  name: string,
  path: string,
  scopes: readonly Scope[],
  details: Details & Pick<Endpoint, 'body' | 'repeatable'>,
): Endpoint {
  return { ...baseEndpoint(name, path, scopes), method: 'POST', ...details };
}

function baseEndpoint(name: string, path: string, scopes: readonly Scope[]) {
  return { name, path: v1 + path, scopes, documentedFields: [] };
}

function named<Schema>(name: string, schema: Schema): Argument<Schema> {
  return { name, schema };
}

function fields(kinds: Readonly<Record<string, FieldKind>>): readonly DocumentedField[] {
  return Object.entries(kinds);
}
