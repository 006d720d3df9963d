import { domainToASCII } from 'node:url';
import { Refusal } from '../service/refusal.js';
import { requireCents } from './prices.js';

/** A domain to list: the fields of a listing that a test may choose. */
export interface ListingInput {
  /** Its name; any spelling that a domain name may have. */
  readonly domain: string;
  /** Buy-now price in minor currency units. */
  readonly price_cents: number;
  /** Lowest price, in minor currency units. Four fifths of the price unless given. */
  readonly floor_price_cents?: number;
  /** ISO 4217 code; `'USD'` unless given. */
  readonly currency?: string;
  /** What the listing's `metadata` has; `{}` unless given. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A listed domain. */
export interface Listing {
  /** Its name in lower-case ASCII. */
  readonly domain: string;
  /** Buy-now price in minor currency units. */
  readonly price_cents: number;
  /** Lowest price, in minor currency units. */
  readonly floor_price_cents: number;
  /** Currency code, such as `USD`. */
  readonly currency: string;
  /** What else the service tells of the domain. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The partner that holds a quote and alone may buy, until a time in Unix milliseconds. */
  readonly reserved?: { readonly partnerId: string; readonly until: number } | undefined;
}

/** What is for sale in one environment. Sold and delisted domains leave it. */
export class Inventory {
  readonly #listings = new Map<string, Listing>();

  constructor(listings: readonly ListingInput[]) {
    for (const listing of listings) this.list(listing);
  }

  list(input: ListingInput): Listing {
    const listing = completed(input);
    this.#listings.set(listing.domain, listing);
    return listing;
  }

  put(listing: Listing): void {
    this.#listings.set(listing.domain, listing);
  }

  remove(domain: string): boolean {
    return this.#listings.delete(domain);
  }

  find(domain: string): Listing | undefined {
    return this.#listings.get(domain);
  }

  all(): Iterable<Listing> {
    return this.#listings.values();
  }
}

/** The listing, or the documented 404 for a domain that is not listed. */
export function listedOr404(inventory: Inventory, domain: string): Listing {
  const listing = inventory.find(domain);
  if (listing === undefined) throw new Refusal('not_found', `${domain} is not listed.`);
  return listing;
}

/** Whether a quote of another partner keeps the domain from this one. */
export function isReservedFrom(listing: Listing, partnerId: string, now: number): boolean {
  const { reserved } = listing;
  return reserved !== undefined && reserved.partnerId !== partnerId && now <= reserved.until;
}

/** Lower case, A-labels, no dot at the end; `undefined` for what is not a domain name. */
export function normalDomain(name: string): string | undefined {
  const ascii = domainToASCII(name.trim().replace(/\.$/, ''));
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
  const labels = ascii.split('.');
  const isDomain =
    ascii.length <= 253 && labels.length > 1 && labels.every((each) => label.test(each));
  return isDomain ? ascii : undefined;
}

function completed(input: ListingInput): Listing {
  const domain = normalDomain(input.domain);
  if (domain === undefined) {
    throw new TypeError(`"domain" ${JSON.stringify(input.domain)} is not a domain name`);
  }
  const { price_cents, currency = 'USD', metadata = {} } = input;
  const floor_price_cents = input.floor_price_cents ?? Math.floor((price_cents * 4) / 5);
  requireCents('price_cents', price_cents);
  requireCents('floor_price_cents', floor_price_cents);
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new TypeError(`"currency" of ${domain} must be three capital letters`);
  }
  return { domain, price_cents, floor_price_cents, currency, metadata };
}
