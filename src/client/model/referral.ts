/** Tracking links and what they earn (specification, part 4.6). Needs an affiliate account. */

/**
 * What a tracking link leads to (specification, part 2). Types that this version does not know pass
 * through in both directions.
 *
 * @example
 * ```ts
 * import type { LinkType } from 'market-partner-sdk';
 *
 * const forOneDomain: LinkType = 'domain';
 * ```
 */
export type LinkType = 'generic' | 'domain' | 'product' | (string & {});

/**
 * Status of a commission (specification, part 4.6). The four words are documented; their spelling on
 * the wire is assumed. Others pass through.
 *
 * @example
 * ```ts
 * import type { CommissionStatus } from 'market-partner-sdk';
 *
 * const isEarned = (status: CommissionStatus) => status !== 'reversed';
 * ```
 */
export type CommissionStatus = 'accrued' | 'pending' | 'paid_out' | 'reversed' | (string & {});

/**
 * A tracking link to create. The request's fields are not shown in the specification; `type` is
 * the one that this package requires.
 *
 * @see specification, parts 2 and 4.6: POST /links
 *
 * @example
 * ```ts
 * import type { TrackingLinkInput } from 'market-partner-sdk';
 *
 * const input: TrackingLinkInput = { type: 'domain', domain: 'brew.example' };
 * ```
 */
export interface TrackingLinkInput {
  /** What the link leads to (part 2). */
  type: LinkType;
  /** The domain, if the link leads to one. Sent in lower-case ASCII form. @assumed part 4.6 */
  domain?: string | undefined;
  /** The product, if the link leads to one. @assumed part 4.6 */
  product?: string | undefined;
}

/**
 * A tracking link; in the list, with its clicks and sales. The specification names no field of it, so
 * every field is assumed and may be absent.
 *
 * @see specification, part 4.6: POST /links and GET /links
 *
 * @example
 * ```ts
 * import { MarketClient, type TrackingLink } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const link: TrackingLink = await market.referral.createLink({ type: 'generic' });
 * console.log(link.url);
 * ```
 */
export interface TrackingLink {
  /** Identifier of the link. @assumed part 4.6 */
  link_id?: string;
  /** What the link leads to. @assumed part 2 */
  type?: LinkType;
  /** The address to publish. @assumed part 4.6 */
  url?: string;
  /** The domain, if the link leads to one. @assumed part 4.6 */
  domain?: string;
  /** The product, if the link leads to one. @assumed part 4.6 */
  product?: string;
  /** Clicks so far. @assumed part 4.6 */
  clicks?: number;
  /** Sales so far. @assumed part 4.6 */
  sales?: number;
  /** Time of creation, ISO 8601 UTC. @assumed part 4.6 */
  created_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * Clicks over all links, of all time or of a span of dates. The specification names no field of
 * it, so every field is assumed and may be absent.
 *
 * @see specification, part 4.6: GET /me/clicks
 *
 * @example
 * ```ts
 * import { MarketClient, type ReferralClicks } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const clicks: ReferralClicks = await market.referral.getClicks({ from: '2026-01-01' });
 * console.log(clicks.total);
 * ```
 */
export interface ReferralClicks {
  /** Number of clicks. @assumed part 4.6 */
  total?: number;
  /** First moment counted, ISO 8601. @assumed part 4.6 */
  from?: string;
  /** Last moment counted, ISO 8601. @assumed part 4.6 */
  to?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * A sale that came through one of your links. Buyer, domain, amount and commission are documented,
 * the names of the fields are assumed, and each may be absent.
 *
 * @see specification, part 4.6: GET /me/sales
 *
 * @example
 * ```ts
 * import { MarketClient, type ReferralSale } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const sales: ReferralSale[] = await market.referral.listSales().toArray({ limit: 100 });
 * console.log(sales.map(({ domain, commission_cents }) => [domain, commission_cents]));
 * ```
 */
export interface ReferralSale {
  /** Identifier of the sale. @assumed part 4.6 */
  sale_id?: string;
  /** The link that it came through. @assumed part 4.6 */
  link_id?: string;
  /** Who bought. Whether it is a string or a record is not shown. @assumed part 4.6 */
  buyer?: unknown;
  /** The domain sold. @assumed part 4.6 */
  domain?: string;
  /** Amount of the sale in minor currency units. @assumed part 4.6 */
  amount_cents?: number;
  /** Your commission in minor currency units. @assumed part 4.6 */
  commission_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.6 */
  currency?: string;
  /** Time of the sale, ISO 8601 UTC. @assumed part 4.6 */
  sold_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * One line of the commission ledger. The specification names no field of it, so every field is
 * assumed and may be absent.
 *
 * @see specification, part 4.6: GET /me/commissions
 *
 * @example
 * ```ts
 * import { MarketClient, type Commission } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const ledger: Commission[] = await market.referral.listCommissions().toArray({ limit: 100 });
 * const reversed = ledger.filter(({ status }) => status === 'reversed');
 * console.log(reversed.length);
 * ```
 */
export interface Commission {
  /** Identifier of the line. @assumed part 4.6 */
  commission_id?: string;
  /** The sale that it comes from. @assumed part 4.6 */
  sale_id?: string;
  /** Status of the commission. @assumed part 4.6 */
  status?: CommissionStatus;
  /** Amount in minor currency units. @assumed part 4.6 */
  amount_cents?: number;
  /** Balance after this line, in minor currency units. @assumed part 4.6 */
  running_balance_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.6 */
  currency?: string;
  /** Time of the line, ISO 8601 UTC. @assumed part 4.6 */
  created_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * A payment of referral commissions to you. Dates and totals are documented, the names of the
 * fields are assumed, and each may be absent.
 *
 * @see specification, part 4.6: GET /me/payouts
 *
 * @example
 * ```ts
 * import { MarketClient, type ReferralPayout } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const payouts: ReferralPayout[] = await market.referral.listPayouts().toArray();
 * console.log(payouts[0]?.paid_at, payouts[0]?.amount_cents);
 * ```
 */
export interface ReferralPayout {
  /** Identifier of the payout. @assumed part 4.6 */
  payout_id?: string;
  /** Amount in minor currency units. @assumed part 4.6 */
  amount_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.6 */
  currency?: string;
  /** Time of payment, ISO 8601 UTC. @assumed part 4.6 */
  paid_at?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * The referral funnel over a span of dates, with GMV and commission. The specification names no
 * field of it, so every field is assumed and may be absent.
 *
 * @see specification, part 4.6: GET /analytics
 *
 * @example
 * ```ts
 * import { MarketClient, type ReferralAnalytics } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const funnel: ReferralAnalytics = await market.referral.getAnalytics({ from: '2026-01-01' });
 * console.log(funnel.clicks, funnel.sales, funnel.gmv_cents);
 * ```
 */
export interface ReferralAnalytics {
  /** First moment counted, ISO 8601. @assumed part 4.6 */
  from?: string;
  /** Last moment counted, ISO 8601. @assumed part 4.6 */
  to?: string;
  /** Number of clicks. @assumed part 4.6 */
  clicks?: number;
  /** Number of checkouts that were begun. @assumed part 4.6 */
  checkouts?: number;
  /** Number of sales. @assumed part 4.6 */
  sales?: number;
  /** Gross merchandise value in minor currency units. @assumed part 4.6 */
  gmv_cents?: number;
  /** Commission in minor currency units. @assumed part 4.6 */
  commission_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.6 */
  currency?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
