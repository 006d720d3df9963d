/** Tracking links and what they earn (specification, part 4.6). Needs an affiliate account. */

/**
 * What a tracking link leads to (specification, part 2). Types that are not known to this version
 * pass through both ways.
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
 * Where a commission stands (specification, part 4.6). The four words are documented, their
 * spelling on the wire is assumed; others pass through.
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
  /** The domain, for a link to one. Sent in lower-case ASCII form. Assumed (part 4.6). */
  domain?: string | undefined;
  /** The product, for a link to one. Assumed (part 4.6). */
  product?: string | undefined;
}

/**
 * A tracking link; in the list with what it brought. The specification names no field of it, so
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
  /** Identifier of the link. Assumed (part 4.6); may be absent. */
  link_id?: string;
  /** What the link leads to. Assumed for this record (part 2); may be absent. */
  type?: LinkType;
  /** The address to publish. Assumed (part 4.6); may be absent. */
  url?: string;
  /** The domain, for a link to one. Assumed (part 4.6); may be absent. */
  domain?: string;
  /** The product, for a link to one. Assumed (part 4.6); may be absent. */
  product?: string;
  /** Clicks so far. Assumed name (part 4.6); may be absent. */
  clicks?: number;
  /** Sales so far. Assumed name (part 4.6); may be absent. */
  sales?: number;
  /** Time of creation, ISO 8601 UTC. Assumed (part 4.6); may be absent. */
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
  /** Number of clicks. Assumed name (part 4.6); may be absent. */
  total?: number;
  /** First moment counted, ISO 8601. Assumed (part 4.6); may be absent. */
  from?: string;
  /** Last moment counted, ISO 8601. Assumed (part 4.6); may be absent. */
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
  /** Identifier of the sale. Assumed (part 4.6); may be absent. */
  sale_id?: string;
  /** The link that it came through. Assumed (part 4.6); may be absent. */
  link_id?: string;
  /** Who bought; a string or a record, which is not shown. Assumed name (part 4.6); may be absent. */
  buyer?: unknown;
  /** The domain sold. Assumed name (part 4.6); may be absent. */
  domain?: string;
  /** Amount of the sale in minor currency units. Assumed name (part 4.6); may be absent. */
  amount_cents?: number;
  /** Your commission in minor currency units. Assumed name (part 4.6); may be absent. */
  commission_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.6); may be absent. */
  currency?: string;
  /** Time of the sale, ISO 8601 UTC. Assumed (part 4.6); may be absent. */
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
  /** Identifier of the line. Assumed (part 4.6); may be absent. */
  commission_id?: string;
  /** The sale that it comes from. Assumed (part 4.6); may be absent. */
  sale_id?: string;
  /** Where the commission stands. Assumed name (part 4.6); may be absent. */
  status?: CommissionStatus;
  /** Amount in minor currency units. Assumed (part 4.6); may be absent. */
  amount_cents?: number;
  /** Balance after this line, in minor currency units. Assumed name (part 4.6); may be absent. */
  running_balance_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.6); may be absent. */
  currency?: string;
  /** Time of the line, ISO 8601 UTC. Assumed (part 4.6); may be absent. */
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
  /** Identifier of the payout. Assumed (part 4.6); may be absent. */
  payout_id?: string;
  /** Amount in minor currency units. Assumed name (part 4.6); may be absent. */
  amount_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.6); may be absent. */
  currency?: string;
  /** Time of payment, ISO 8601 UTC. Assumed name (part 4.6); may be absent. */
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
  /** First moment counted, ISO 8601. Assumed (part 4.6); may be absent. */
  from?: string;
  /** Last moment counted, ISO 8601. Assumed (part 4.6); may be absent. */
  to?: string;
  /** Number of clicks. Assumed name (part 4.6); may be absent. */
  clicks?: number;
  /** Number of checkouts that were begun. Assumed (part 4.6); may be absent. */
  checkouts?: number;
  /** Number of sales. Assumed name (part 4.6); may be absent. */
  sales?: number;
  /** Gross merchandise value in minor currency units. Assumed name (part 4.6); may be absent. */
  gmv_cents?: number;
  /** Commission in minor currency units. Assumed name (part 4.6); may be absent. */
  commission_cents?: number;
  /** Currency code, such as `USD`. Assumed (part 4.6); may be absent. */
  currency?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
