/** Referral links and what came of them; needs a credential that is linked to an affiliate account (specification, part 4.6). */

import { endpoints } from '../endpoints.js';
import type { CallPromise } from '../results/call-promise.js';
import type { Engine } from '../engine/engine.js';
import type {
  DateRange,
  TrackingLinkInput,
  PageRequest,
  ReferralAnalytics,
  ReferralClicks,
  ReferralPayout,
  ReferralSale,
  TrackingLink,
} from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import type { Page } from '../results/page.js';
import type { PagePromise } from '../results/page-promise.js';
import { CommissionPage } from '../results/totals-pages.js';

/** `market.referral`: tracking links, clicks, sales, commissions and payouts. */
export class Referral {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Creates a tracking link: generic, for a domain, or for a product. Scope: `refer`.
   *
   * A second link does no harm, so this call is retried like a read.
   *
   * @throws {@link InvalidRequestError} when the input breaks a rule.
   * @see specification, parts 2 and 4.6: POST /links
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const link = await market.referral.createLink({ type: 'domain', domain: 'brew.example' });
   * console.log(link.url);
   * ```
   */
  createLink(input: TrackingLinkInput, options?: RequestOptions): CallPromise<TrackingLink> {
    return this.#engine.call(endpoints.referral.createLink, { body: input }, options);
  }

  /**
   * Lists your links with the clicks and sales of each. Scope: `refer`.
   *
   * @see specification, part 4.6: GET /links
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * for await (const link of market.referral.listLinks()) {
   *   console.log(link.url, link.clicks, link.sales);
   * }
   * ```
   */
  listLinks(page: PageRequest = {}, options?: RequestOptions): PagePromise<Page<TrackingLink>> {
    return this.#engine.callPages(endpoints.referral.listLinks, page, options);
  }

  /**
   * Reads the totals of clicks, of all time or of a span of dates. Scope: `report`.
   *
   * @throws {@link InvalidRequestError} when a date is not valid, or `from` is after `to`.
   * @see specification, part 4.6: GET /me/clicks
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const clicks = await market.referral.getClicks({ from: '2026-01-01', to: '2026-01-31' });
   * console.log(clicks.total);
   * ```
   */
  getClicks(range: DateRange = {}, options?: RequestOptions): CallPromise<ReferralClicks> {
    return this.#engine.call(endpoints.referral.getClicks, { query: range }, options);
  }

  /**
   * Lists the sales that your links led to: buyer, domain, amount, commission. Scope: `report`.
   *
   * @throws {@link InvalidRequestError} when a date is not valid, or `from` is after `to`.
   * @see specification, part 4.6: GET /me/sales
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * for await (const sale of market.referral.listSales({ from: '2026-01-01' })) {
   *   console.log(sale.domain, sale.amount_cents, sale.commission_cents);
   * }
   * ```
   */
  listSales(
    range: DateRange & PageRequest = {},
    options?: RequestOptions,
  ): PagePromise<Page<ReferralSale>> {
    return this.#engine.callPages(endpoints.referral.listSales, range, options);
  }

  /**
   * Lists the ledger of commissions (accrued, pending, paid out, reversed); each page has the
   * `runningBalance` next to its items. Scope: `report`.
   *
   * @throws {@link InvalidRequestError} when a date is not valid, or `from` is after `to`.
   * @see specification, part 4.6: GET /me/commissions
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const page = await market.referral.listCommissions({ from: '2026-01-01' });
   * console.log(page.runningBalance, page.items.map(({ status }) => status));
   * ```
   */
  listCommissions(
    range: DateRange & PageRequest = {},
    options?: RequestOptions,
  ): PagePromise<CommissionPage> {
    return this.#engine.callPagesOf(
      CommissionPage,
      endpoints.referral.listCommissions,
      range,
      options,
    );
  }

  /**
   * Lists what was paid to you, with dates and totals. Scope: `report`.
   *
   * @throws {@link InvalidRequestError} when a date is not valid, or `from` is after `to`.
   * @see specification, part 4.6: GET /me/payouts
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const payouts = await market.referral.listPayouts({ from: '2026-01-01' }).toArray();
   * console.log(payouts.map(({ paid_at, amount_cents }) => [paid_at, amount_cents]));
   * ```
   */
  listPayouts(
    range: DateRange & PageRequest = {},
    options?: RequestOptions,
  ): PagePromise<Page<ReferralPayout>> {
    return this.#engine.callPages(endpoints.referral.listPayouts, range, options);
  }

  /**
   * Reads the funnel over a span of dates: clicks to sales, GMV and commission. Scope: `report`.
   *
   * @throws {@link InvalidRequestError} when the range has neither end, or `from` is after `to`.
   * @see specification, part 4.6: GET /analytics
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const funnel = await market.referral.getAnalytics({ from: '2026-01-01', to: '2026-03-31' });
   * console.log(funnel.clicks, funnel.sales, funnel.gmv_cents);
   * ```
   */
  getAnalytics(range: DateRange, options?: RequestOptions): CallPromise<ReferralAnalytics> {
    // A query that is undefined is not checked, and would give the funnel of all time.
    const query = (range as DateRange | undefined) ?? {};
    return this.#engine.call(endpoints.referral.getAnalytics, { query }, options);
  }
}
