/** The listed domains (specification, 4.1). */

import { normalizeDomain } from '../domain-name.js';
import { requireCents } from './prices.js';
import type { ListingInput, EmulatorListing } from './records.js';

/** The domains for sale in one environment. Sold and delisted domains leave it. */
export class Inventory {
  readonly #listings = new Map<string, EmulatorListing>();

  constructor(listings: readonly ListingInput[]) {
    for (const listing of listings) this.list(listing);
  }

  /** Lists a domain, or replaces its listing. A quote's reservation stays. */
  list(input: ListingInput): EmulatorListing {
    const listing = toListing(input);
    const reserved = this.find(listing.domain)?.reserved;
    return this.put(reserved === undefined ? listing : { ...listing, reserved });
  }

  /** Changes the price of a listed domain, and its floor where that would be higher. */
  reprice(domain: string, price_cents: number): EmulatorListing | undefined {
    const listing = this.find(domain);
    if (listing === undefined) return undefined;
    const floor_price_cents = Math.min(listing.floor_price_cents, price_cents);
    return this.put({ ...listing, price_cents, floor_price_cents });
  }

  put(listing: EmulatorListing): EmulatorListing {
    this.#listings.set(listing.domain, listing);
    return listing;
  }

  /** Puts other listings in the place of all. */
  replaceAll(listings: readonly EmulatorListing[]): void {
    this.#listings.clear();
    for (const listing of listings) this.put(listing);
  }

  remove(domain: string): boolean {
    return this.#listings.delete(domain);
  }

  find(domain: string): EmulatorListing | undefined {
    return this.#listings.get(domain);
  }

  all(): Iterable<EmulatorListing> {
    return this.#listings.values();
  }
}

/** Whether a quote of another partner reserves the domain. */
export function isReservedFrom(listing: EmulatorListing, partnerId: string, now: number): boolean {
  const { reserved } = listing;
  return reserved !== undefined && reserved.partnerId !== partnerId && now <= reserved.until;
}

function toListing(input: ListingInput): EmulatorListing {
  // A listing may come from a file.
  const domain = normalizeDomain((input as Partial<ListingInput>).domain ?? '');
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
