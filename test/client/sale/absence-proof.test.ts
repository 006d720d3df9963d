/** What proves that something does not exist. */

import { describe, expect, it } from 'vitest';
import {
  AbsenceProof,
  findCacheSign,
  type ListPage,
} from '../../../src/client/sale/absence-proof.js';
import { isOtherDomain } from '../../../src/client/sale/compare-fields.js';

const domain = 'brew.example';
const item = { public_id: 'ord_9', domain };

function doubtOf(...pages: readonly Partial<ListPage<unknown>>[]): string | undefined {
  const proof = new AbsenceProof('orders', (order) => isOtherDomain(order.domain, domain));
  for (const page of pages) proof.add({ items: [], body: { data: [] }, ...page });
  return proof.doubt;
}
const doubtOfBody = (more: object) => doubtOf({ body: { data: [], ...more } });
const doubtOfHeaders = (headers: Record<string, string>, status = 200) =>
  doubtOf({ response: { status, headers } });

describe('an empty list proves nothing', () => {
  it.each<[string, object]>([
    ['has_more', { has_more: true }],
    ['hasMore', { hasMore: true }],
    ['has_more as a text', { has_more: 'true' }],
    ['has_next_page in a container', { pagination: { has_next_page: true } }],
    ['next_cursor that leads nowhere', { next_cursor: 'c1' }],
    ['next_token', { next_token: 'abc' }],
    ['next as an address', { next: '/orders?page=2' }],
    ['links.next', { links: { next: '/orders?page=2' } }],
    ['links as a list', { links: [{ rel: 'next', href: '/orders?page=2' }] }],
    ['_links.next of HAL', { _links: { next: { href: '/orders?page=2' } } }],
    ['truncated', { truncated: true }],
    ['more', { more: true }],
    ['outcome: failed', { outcome: 'failed' }],
    ['remaining', { remaining: 3 }],
    ['complete: false', { complete: false }],
    ['partial', { partial: true }],
    ['partial_results', { meta: { partial_results: true } }],
    ['timed_out', { timed_out: true }],
    ['stale', { stale: true }],
    ['errors', { errors: [{ shard: 3 }] }],
    ['error without a message', { error: { shard: 3 } }],
    ['error: true', { error: true }],
    ['error_count', { error_count: 1 }],
    ['warnings', { warnings: ['one shard is down'] }],
    ['success: false', { success: false }],
    ['success: null', { success: null }],
    ['ok: false', { ok: false }],
    ['ok: 0', { ok: 0 }],
    ['status: error', { status: 'error' }],
    ['status: 503', { status: 503 }],
    ['status: 199', { status: 199 }],
    ['status: 300', { meta: { status: 300 } }],
    ['a status in an unknown word', { status: 'degradiert' }],
    ['data: null next to items', { data: null, items: [] }],
    ['orders: null next to data', { orders: null }],
    ['total', { total: 3 }],
    ['total as a text', { total: '3' }],
    ['meta.total', { meta: { total: 1 } }],
    ['total_count', { total_count: 1 }],
    ['count', { count: 2 }],
    ['total_pages', { total_pages: 3 }],
    ['last_page', { meta: { last_page: 2 } }],
    ['total as a text with a mark', { total: '1,204+' }],
    ['total as a record', { total: { value: 1 } }],
    ['hits.total of a search engine', { hits: { total: { value: 2 } } }],
    ['num_found', { num_found: 1 }],
    ['recordsTotal', { recordsTotal: 1 }],
    ['orders_count', { orders_count: 1 }],
    ['a page after the first', { page: 2 }],
    ['meta.current_page', { meta: { current_page: 2 } }],
    ['offset', { offset: 1 }],
    ['skipped', { meta: { skip: '20' } }],
    ['a cursor under another name', { cursor: 'c1' }],
    ['continuationToken', { continuationToken: 'abc' }],
    ['cached', { cached: true }],
    ['detail', { detail: 'no backend' }],
    ['meta.message', { meta: { message: 'try later' } }],
    ['code: 500', { code: 500 }],
    ['status_code as a text', { meta: { status_code: '503' } }],
    ['result: error', { result: 'error' }],
    ['state: incomplete', { state: 'incomplete' }],
    ['retry_after', { retry_after: 5 }],
    ['an order outside of it', { order: { public_id: 'ord_1' } }],
    ['orders by their id', { orders_by_id: { ord_1: { public_id: 'ord_1' } } }],
    ['a second list with orders', { pending: [{ public_id: 'ord_1' }] }],
    ['a second list with cases', { meta: { more_cases: [{ case_id: 'case_1' }] } }],
    ['a filter that was not asked for', { filters: { domain: 'tea.example' } }],
    ['a query that was not asked for', { meta: { query: 'domain=tea.example' } }],
    ['a list of cases or events that is null', { cases: null }],
    ['events: null', { events: null }],
    ['found', { found: 2 }],
    ['hits', { hits: 2 }],
    ['a filter of another name', { params: { domain: 'tea.example' } }],
    ['filter', { filter: { domain: 'tea.example' } }],
    ['criteria', { criteria: { domain: 'tea.example' } }],
    ...[
      ...['is_truncated', 'resume_token', 'incomplete', 'is_incomplete', 'failed', 'failure'],
      ...['failures', 'exception', 'fault', 'problem', 'from_cache', 'is_cached', 'degraded'],
      ...[
        'page_token',
        'scroll_id',
        'marker',
        'bookmark',
        'more_results',
        'is_partial',
        'is_stale',
      ],
    ].map((word): [string, object] => [`${word}: yes`, { [word]: 'yes' }]),
    ...[
      ...['matches', 'page_count', 'num_pages', 'page_number', 'pagination_total_pages', 'pages'],
      ...['page_total', 'skipped', 'start_index', 'http_status', 'http_code'],
    ].map((word): [string, object] => [`${word}: 3`, { [word]: 3 }]),
    ['is_complete: false', { is_complete: false }],
    ['a request of another filter', { request: { domain: 'tea.example' } }],
    ['three levels deep', { meta: { page: { info: { has_more: true } } } }],
  ])('with %s', (_what, more) => {
    expect(doubtOfBody(more)).toBeTypeOf('string');
  });

  it.each<[string, Record<string, string>, number?]>([
    ['an Age', { age: '20' }],
    ['an Age that is no number', { age: 'old' }],
    ['x-cache: HIT', { 'x-cache': 'HIT' }],
    ['x-cache: Hit from cloudfront', { 'x-cache': 'Hit from cloudfront' }],
    ['x-cache: TCP_HIT', { 'x-cache': 'TCP_HIT' }],
    ['cf-cache-status: HIT', { 'cf-cache-status': 'HIT' }],
    ['cf-cache-status: STALE', { 'cf-cache-status': 'STALE' }],
    ['cf-cache-status: UPDATING', { 'cf-cache-status': 'UPDATING' }],
    ['cache-status with a hit', { 'cache-status': 'Varnish; hit; ttl=30' }],
    ['x-cache-hits', { 'x-cache-hits': '0, 12' }],
    ['a Warning', { warning: '110 - "Response is Stale"' }],
    ['Link: rel=next', { link: '</orders?page=2>; rel="next"' }],
    ['x-total-count', { 'x-total-count': '3' }],
    ['x-total-pages', { 'x-total-pages': '2' }],
    ['x-rack-cache: fresh', { 'x-rack-cache': 'fresh' }],
    ['x-nextjs-cache: PRERENDER', { 'x-nextjs-cache': 'PRERENDER' }],
    ['x-from-cache', { 'x-from-cache': 'yes' }],
    ['x-cached', { 'x-cached': 'true' }],
    ['x-cache-age', { 'x-cache-age': '12' }],
    ['Link: rel = last next', { link: '</orders?page=2>; rel = "last next"' }],
    ['Content-Range', { 'content-range': 'orders 0-0/3' }],
    ['x-next-page', { 'x-next-page': '2' }],
    ['x-has-more', { 'x-has-more': 'true' }],
    ['x-partial-results', { 'x-partial-results': '1' }],
    ['Retry-After', { 'retry-after': '5' }],
    ['Retry-After with a date', { 'retry-after': 'Sat, 21 Nov 2026 08:00:00 GMT' }],
    ['problem+json', { 'content-type': 'application/problem+json' }],
    ['Content-Location of another filter', { 'content-location': '/orders?domain=tea.example' }],
    ['status 203', {}, 203],
    ['status 206', {}, 206],
  ])('whose response has %s', (_what, headers, status) => {
    expect(doubtOfHeaders(headers, status)).toBeTypeOf('string');
  });

  it('with an order of another domain: the filter was ignored', () => {
    const body = { data: [item] };
    expect(doubtOf({ items: [item], body })).toBeUndefined();
    const other = { ...item, domain: 'tea.example' };
    expect(doubtOf({ items: [item, other], body })).toContain('filter');
  });

  it('with a member that is nested too deep for a stack', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    const list: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    for (const value of [deep, list]) {
      expect(doubtOfBody({ errors: value })).toContain('errors: ');
      expect(doubtOfBody({ public_id: value })).toContain('public_id: ');
    }
    expect(doubtOfBody({ total: { value: { value: 3 } } })).toBeUndefined();
  });

  it('where no page was read, or a later page has the sign', () => {
    expect(doubtOf()).toBe('was not read');
    expect(doubtOf({}, { body: { data: [], partial: true } })).toContain('partial');
    expect(doubtOf({ body: { data: [], errors: ['x'] } }, {})).toContain('errors');
  });

  it('whose pages hold less than it says', () => {
    const page = { items: [item, item], body: { data: [item, item], total: 4, total_pages: 2 } };
    expect(doubtOf(page, page)).toBeUndefined();
    expect(doubtOf(page)).toContain('4 items, and shows 2');
    const next = { body: { data: [], total_pages: 3 } };
    expect(doubtOf(next, next)).toContain('3 pages, and shows 2');
  });
});

describe('an empty list is a proof', () => {
  it.each<[string, object]>([
    ['nothing else', {}],
    ['a cursor of null', { next_cursor: null }],
    ['an empty cursor', { next_cursor: '' }],
    ['links without a next', { links: { next: null, self: '/orders' } }],
    ['a list of links without a next', { links: [{ rel: 'self', href: '/orders' }] }],
    ['has_more: false', { has_more: false }],
    ['has_more: "false"', { has_more: 'false' }],
    ['errors: []', { errors: [], warnings: [] }],
    ["error: ''", { error: '' }],
    ['error: {}', { error: {} }],
    ['error: null', { error: null }],
    ['partial: false', { partial: false, timed_out: false }],
    ['success', { success: true, ok: true, complete: true, status: 'ok' }],
    ['status: Success', { status: 'Success' }],
    ['status: 200', { status: 200 }],
    ['status: "200"', { status: '200' }],
    ['status: true', { status: true }],
    ['total: 0', { total: 0, total_pages: 1, count: '0' }],
    ['a total that is no number', { total: 'many', total_pages: '' }],
    ['totals of money', { totals: { gmv_cents: 5 } }],
    ['what was asked for', { filters: { status: 'SETTLED', next: 'x' } }],
    ...['succeeded', 'successful', 'complete', 'completed', 'created', 'accepted'].map(
      (status): [string, object] => [`status: ${status}`, { status }],
    ),
    ["warnings: 'none'", { warnings: 'none' }],
    ['a sign four levels deep, where data begins', { a: { b: { c: { d: { has_more: true } } } } }],
    ['another list with a next', { facets: [{ rel: 'next' }] }],
    ['pages as a record', { pages: { value: 3 } }],
    ['a status or a result that is no word', { state: [5], result: { done: 1 }, status: {} }],
    ['a rate limit', { rate_limit: { remaining: 5 } }],
    ['a page number and size', { page: 1, per_page: 20 }],
    ['an offset of 0', { offset: 0, page: { number: 7, size: 20 } }],
    ['a total of -1, which is unknown', { total: -1 }],
    ['a code of 200 or 0', { code: 200, meta: { code: 0, http_code: '204' } }],
    ['a code that is a word', { meta: { currency: { code: 'USD' } } }],
    ['the filter that was asked for', { filters: { domain: 'BREW.example' }, query: 'q=x' }],
    ['a second list of something else', { facets: [{ status: 'SETTLED' }], ids: [1] }],
    ['an empty record', { summary: { public_id: null }, result: null }],
  ])('with %s', (_what, more) => {
    expect(doubtOfBody(more)).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['Age: 0', { age: '0' }],
    ['x-cache: MISS', { 'x-cache': 'Miss from cloudfront' }],
    ['cf-cache-status: DYNAMIC', { 'cf-cache-status': 'DYNAMIC' }],
    ['cache-status without a hit', { 'cache-status': 'Varnish; fwd=miss; stored' }],
    ['x-cache-hits: 0', { 'x-cache-hits': '0' }],
    ['cache-control', { 'cache-control': 'max-age=0, stale-if-error=1' }],
    ['Link: rel=prev', { link: '</orders?next=1>; rel="prev"' }],
    ['Content-Range of nothing', { 'content-range': 'orders */0' }],
    ['Content-Location of this filter', { 'content-location': '/orders?domain=brew.example' }],
    ['x-from-cache: no', { 'x-from-cache': 'no', 'x-cached': 'MISS', 'x-cache-age': '0' }],
    ['a header of another prefix', { 'a-total-count': '3' }],
    ['a word of caches in another header', { etag: '"hit"', 'x-request-id': 'fresh' }],
    ['headers about other things', { 'x-status': 'error', 'x-ratelimit-remaining': '5' }],
  ])('whose response has %s', (_what, headers) => {
    expect(doubtOfHeaders(headers)).toBeUndefined();
  });

  it('where the orders of its pages are those that it counts', () => {
    const pageOf = (page: number) => ({
      items: [item, item],
      body: { data: [item, item], offset: 2 * (page - 1), page, count: 2, orders_total: 4 },
    });
    expect(doubtOf(pageOf(1), pageOf(2))).toBeUndefined();
    expect(doubtOf(pageOf(2), pageOf(1))).toContain('offset: 2');
    const ranged = (range: string) => ({
      items: [item, item],
      body: { data: [item, item] },
      response: { status: 200, headers: { 'content-range': range } },
    });
    expect(doubtOf(ranged('orders 0-1/4'), ranged('orders 2-3/4'))).toBeUndefined();
    expect(doubtOf(ranged('orders 0-1/5'), ranged('orders 2-3/5'))).toContain('5');
  });

  it('behind pages that led on to it', () => {
    const first = { items: [item], body: { data: [item], next_cursor: 'c1', has_more: true } };
    expect(doubtOf(first, {})).toBeUndefined();
    expect(
      doubtOf({ ...first, response: { status: 200, headers: { link: 'rel=next' } } }, {}),
    ).toBe(undefined);
  });
});

it('says where a stored copy shows', () => {
  expect(findCacheSign({ status: 200, headers: { age: '20' } })).toBe(
    'came from a cache (Age: 20)',
  );
  expect(findCacheSign({ status: 200, headers: { 'x-cache': 'HIT' } })).toContain('x-cache: HIT');
  expect(findCacheSign({ status: 200, headers: {} })).toBeUndefined();
});
