/** Specification, 4.6. */

import { linkFields } from '../market/input.js';
import { requireListing } from '../market/listed.js';
import type { StoredClick } from '../market/records.js';
import type { StoredLink } from '../market/records.js';
import { balanceOf, createLink, ledgerOf } from '../market/referral.js';
import { sumsOf } from '../market/settlement.js';
import { ServiceError } from '../service-error.js';
import { created, endpoint, listed, ok, type Endpoint } from './endpoint.js';
import { dateRange, pageFields, rangeFields } from './input.js';
import { page, serializeLink } from './pages.js';

const pagedRange = () => ({ ...rangeFields(), ...pageFields() });

const referring = { scopes: ['refer'], affiliate: true } as const;
const reporting = { scopes: ['report'], affiliate: true } as const;

export const referralEndpoints: readonly Endpoint[] = [
  endpoint('POST /links', referring, linkFields, ({ market, account, input, baseUrl }) => {
    const { type, domain } = input;
    if (type !== 'generic' && input[type] === undefined) {
      throw new ServiceError('validation_error', `"${type}" is required.`);
    }
    if (type === 'domain') requireListing(market, account.environment, domain ?? '');
    return created(serializeLink(createLink(market, account, input), baseUrl));
  }),
  endpoint('GET /links', referring, pageFields, ({ account, input, baseUrl }) => {
    const serialize = (link: StoredLink) => serializeLink(link, baseUrl);
    return listed(page(input, { name: 'links', oldestFirst: account.links, serialize }));
  }),
  endpoint('GET /me/clicks', reporting, rangeFields, ({ account, input }) =>
    ok({ total: countIn(account.clicks, input), ...shownRange(input) }),
  ),
  endpoint('GET /me/sales', reporting, pagedRange, ({ account, input }) => {
    const isIn = dateRange(input);
    const oldestFirst = account.referralSales.filter(({ sold_at }) => isIn(Date.parse(sold_at)));
    return listed(page(input, { name: 'sales', oldestFirst }));
  }),
  endpoint('GET /me/commissions', reporting, pagedRange, ({ account, input }) => {
    const isIn = dateRange(input);
    const ledger = ledgerOf(account);
    const oldestFirst = ledger.filter(({ created_at }) => isIn(Date.parse(created_at)));
    // The account's balance now, whatever the dates of the filter.
    const extra = balanceOf(ledger);
    return listed(page(input, { name: 'commissions', oldestFirst, isOldestFirst: true, extra }));
  }),
  endpoint('GET /me/payouts', reporting, pagedRange, ({ account, input }) => {
    const isIn = dateRange(input);
    const oldestFirst = account.referralPayouts.filter(({ paid_at }) => isIn(Date.parse(paid_at)));
    return listed(page(input, { name: 'payouts', oldestFirst }));
  }),
  endpoint('GET /analytics', reporting, rangeFields, ({ account, input }) => {
    const isIn = dateRange(input);
    const sales = account.referralSales.filter(({ sold_at }) => isIn(Date.parse(sold_at)));
    return ok({
      ...shownRange(input),
      clicks: countIn(account.clicks, input),
      // Every buyer passed the checkout, also if no checkout was recorded.
      checkouts: countIn(account.referralCheckouts, input) + sales.length,
      sales: sales.length,
      ...sumsOf(
        sales.map(({ amount_cents, commission_cents, currency }) => ({
          gmv_cents: amount_cents,
          commission_cents,
          currency,
        })),
      ),
    });
  }),
];

type Range = Parameters<typeof dateRange>[0];

function countIn(visits: readonly StoredClick[], range: Range): number {
  const isIn = dateRange(range);
  return visits.filter(({ at }) => isIn(at)).length;
}

function shownRange({ from, to }: Range) {
  return { from: from ?? null, to: to ?? null };
}
