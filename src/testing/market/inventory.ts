/** The listed domains (specification, 4.1). */

import { ruled } from '../../core/schema/must.js';
import { lazily, optional, withDefault } from '../../core/schema/options.js';
import * as z from 'zod/mini';
import { cents, checkBy, currency, domain, record } from '../values.js';
import type { ListingInput, EmulatorListing } from './records.js';

export const listingFields = () => ({
  domain: domain(),
  price_cents: cents(),
  floor_price_cents: optional(cents()),
  currency: withDefault(currency(), 'USD'),
  metadata: withDefault(record(), {}),
});

/** Further fields, as a file may have them, are ignored. */
const listingSchema = lazily(() => z.object(listingFields(), ruled('must be a listing')));

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
  const { floor_price_cents, ...listing } = checkBy(listingSchema, input, 'listing');
  const fourFifths = Math.floor((listing.price_cents * 4) / 5);
  return { ...listing, floor_price_cents: floor_price_cents ?? fourFifths };
}
