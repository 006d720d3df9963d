/** Specification, 4.6. */

import { createLink, ledgerOf, type Click } from '../market/referral.js';
import { listedOr404 } from '../market/inventory.js';
import { sum } from '../market/settlement.js';
import { created, listed, ok, type Call, type Endpoint } from '../service/endpoint.js';
import type { Fields } from '../service/fields.js';
import { page, withoutSeq } from '../service/pages.js';
import { Refusal } from '../service/refusal.js';
import { dateRange } from './orders.js';

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

function postLink({ market, account, body, baseUrl }: Call) {
  const input = body();
  const type = input.oneOf('type', ['generic', 'domain', 'product']);
  const domain = input.domain('domain');
  const product = input.text('product');
  if (type === undefined) throw new Refusal('validation_error', '"type" is required.');
  if (type === 'domain') {
    listedOr404(market.inventory(account.environment), input.requiredDomain('domain'));
  }
  if (type === 'product') input.requiredText('product');
  return created(withoutSeq(createLink(market, account, { type, domain, product }, baseUrl)));
}

function listLinks({ account, query }: Call) {
  return listed(page(query, { name: 'links', oldestFirst: account.links, order: 'newest first' }));
}

function getClicks({ account, query }: Call) {
  return ok({ total: countIn(account.clicks, query), ...window(query) });
}

function listSales({ account, query }: Call) {
  const isIn = dateRange(query);
  const oldestFirst = account.referralSales.filter(({ sold_at }) => isIn(Date.parse(sold_at)));
  return listed(page(query, { name: 'sales', oldestFirst, order: 'newest first' }));
}

function listCommissions({ account, query }: Call) {
  const isIn = dateRange(query);
  const ledger = ledgerOf(account);
  const oldestFirst = ledger.filter(({ created_at }) => isIn(Date.parse(created_at)));
  // The balance is the account's, whatever the window: it is what is owed now.
  const extra = { running_balance_cents: ledger.at(-1)?.running_balance_cents ?? 0 };
  return listed(page(query, { name: 'commissions', oldestFirst, order: 'oldest first', extra }));
}

function listPayouts({ account, query }: Call) {
  const isIn = dateRange(query);
  const oldestFirst = account.referralPayouts.filter(({ paid_at }) => isIn(Date.parse(paid_at)));
  return listed(page(query, { name: 'payouts', oldestFirst, order: 'newest first' }));
}

function getAnalytics({ account, query }: Call) {
  const isIn = dateRange(query);
  const sales = account.referralSales.filter(({ sold_at }) => isIn(Date.parse(sold_at)));
  return ok({
    ...window(query),
    clicks: countIn(account.clicks, query),
    // Who bought has been at the checkout, whether that was recorded or not.
    checkouts: countIn(account.referralCheckouts, query) + sales.length,
    sales: sales.length,
    gmv_cents: sum(sales.map(({ amount_cents }) => amount_cents)),
    commission_cents: sum(sales.map(({ commission_cents }) => commission_cents)),
    currency: sales[0]?.currency ?? 'USD',
  });
}

function countIn(visits: readonly Click[], query: Fields): number {
  const isIn = dateRange(query);
  return visits.filter(({ at }) => isIn(at)).length;
}

function window(query: Fields) {
  return { from: query.text('from') ?? null, to: query.text('to') ?? null };
}
