/** Records of the inventory: listings, availability, prices (specification, part 4.1). */

/**
 * A listed domain, from a search or a look-up of one name. The specification names no field of
 * it, so every field is assumed and may be absent.
 *
 * @see specification, part 4.1: GET /domains/search and GET /domains/{name}
 *
 * @example
 * ```ts
 * import { MarketClient, type DomainListing } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const listings: DomainListing[] = await market.domains.search('craft beer');
 * for (const { domain, price_cents } of listings) console.log(domain, price_cents);
 * ```
 */
export interface DomainListing {
  /** The domain name. @assumed part 4.1 */
  domain?: string;
  /** Whether it can be bought now. @assumed part 4.1 */
  available?: boolean;
  /** Buy-now price in minor currency units. @assumed part 4.1 */
  price_cents?: number;
  /** Lowest price that the seller accepts, in minor currency units. @assumed part 4.1 */
  floor_price_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.1 */
  currency?: string;
  /** What else is known about the domain; its shape is not shown. @assumed part 4.1 */
  metadata?: Record<string, unknown>;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * Whether a domain can be bought, with its price. For a domain that is not listed the response is
 * `available: false`, not an error.
 *
 * @see specification, part 4.1: GET /availability
 *
 * @example
 * ```ts
 * import { MarketClient, type Availability } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const availability: Availability = await market.domains.checkAvailability('brew.example');
 * if (availability.available) console.log(availability.price_cents);
 * ```
 */
export interface Availability {
  /** Whether the domain can be bought. `false` for one that is not listed (part 4.1). */
  available: boolean;
  /** The domain that was asked for. @assumed part 4.1 */
  domain?: string;
  /** Price in minor currency units. @assumed part 4.1 */
  price_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.1 */
  currency?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * The prices of one listed domain; for a domain that is not listed the call fails with a
 * `NotFoundError`. The specification names no field of it, so every field is assumed and may be absent.
 *
 * @see specification, part 4.1: GET /pricing
 *
 * @example
 * ```ts
 * import { MarketClient, type Pricing } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const pricing: Pricing = await market.domains.getPricing('brew.example');
 * console.log(pricing.buy_now_price_cents, pricing.floor_price_cents);
 * ```
 */
export interface Pricing {
  /** The domain that was asked for. @assumed part 4.1 */
  domain?: string;
  /** Price at which it can be bought at once, in minor currency units. @assumed part 4.1 */
  buy_now_price_cents?: number;
  /** Lowest price that the seller accepts, in minor currency units. @assumed part 4.1 */
  floor_price_cents?: number;
  /** Currency code, such as `USD`. @assumed part 4.1 */
  currency?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
