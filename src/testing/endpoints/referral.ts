/** Specification, 4.6. */

import { balanceOf, createLink, ledgerOf } from '../market/referral.js';
import { requireListing } from '../market/listed.js';
import { sumsOf } from '../market/settlement.js';
import { created, listed, ok, type EndpointCall, type Endpoint } from './endpoint.js';
import type { FieldReader } from './fields.js';
import { page, withoutSeq } from './pages.js';
import { dateRange } from './orders.js';
import type { StoredClick } from '../market/records.js';

export const referralEndpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/links', scopes: ['refer'], affiliate: true, run: postLink },
  { method: 'GET', path: '/links', scopes: ['refer'], affiliate: true, run: listLinks },
  { method: 'GET', path: '/me/clicks', scopes: ['report'], affiliate: true, run: getClicks },
  { method: 'GET', path: '/me/sales', scopes: ['report'], affiliate: true, run: listSales },
  {
    method: 'GET',
    path: '/me/commissions',
    scopes: ['report'],
    affiliate: true,
    run: listCommissions,
  },
  { method: 'GET', path: '/me/payouts', scopes: ['report'], affiliate: true, run: listPayouts },
  { method: 'GET', path: '/analytics', scopes: ['report'], affiliate: true, run: getAnalytics },
];

function postLink({ market, account, body, baseUrl }: EndpointCall) {
  const input = body();
  const type = input.required('type', input.oneOf('type', ['generic', 'domain', 'product']));
  const domain = input.domain('domain');
  const product = input.text('product');
  if (type === 'domain') {
    requireListing(market, account.environment, input.required('domain', domain));
  }
  if (type === 'product') input.required('product', product);
  return created(withoutSeq(createLink(market, account, { type, domain, product }, baseUrl)));
}

function listLinks({ account, query }: EndpointCall) {
  return listed(page(query, { name: 'links', oldestFirst: account.links, order: 'newest first' }));
}

function getClicks({ account, query }: EndpointCall) {
  return ok({ total: countIn(account.clicks, query), ...window(query) });
}

function listSales({ account, query }: EndpointCall) {
  const isIn = dateRange(query);
  const oldestFirst = account.referralSales.filter(({ sold_at }) => isIn(Date.parse(sold_at)));
  return listed(page(query, { name: 'sales', oldestFirst, order: 'newest first' }));
}

function listCommissions({ account, query }: EndpointCall) {
  const isIn = dateRange(query);
  const ledger = ledgerOf(account);
  const oldestFirst = ledger.filter(({ created_at }) => isIn(Date.parse(created_at)));
  // The account's balance now, whatever the dates of the filter.
  const extra = balanceOf(ledger);
  return listed(page(query, { name: 'commissions', oldestFirst, order: 'oldest first', extra }));
}

function listPayouts({ account, query }: EndpointCall) {
  const isIn = dateRange(query);
  const oldestFirst = account.referralPayouts.filter(({ paid_at }) => isIn(Date.parse(paid_at)));
  return listed(page(query, { name: 'payouts', oldestFirst, order: 'newest first' }));
}

function getAnalytics({ account, query }: EndpointCall) {
  const isIn = dateRange(query);
  const sales = account.referralSales.filter(({ sold_at }) => isIn(Date.parse(sold_at)));
  return ok({
    ...window(query),
    clicks: countIn(account.clicks, query),
    // Every buyer passed the checkout, also if no checkout was recorded.
    checkouts: countIn(account.referralCheckouts, query) + sales.length,
    sales: sales.length,
    ...sumsOf(
      sales.map(({ amount_cents, commission_cents, currency }) => ({
        gmv_cents: amount_cents,
        commission_cents,
        currency,
      })),
    ),
  });
}

function countIn(visits: readonly StoredClick[], query: FieldReader): number {
  const isIn = dateRange(query);
  return visits.filter(({ at }) => isIn(at)).length;
}

function window(query: FieldReader) {
  return { from: query.text('from') ?? null, to: query.text('to') ?? null };
}
