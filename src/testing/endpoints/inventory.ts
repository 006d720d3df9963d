/** Specification, 4.1. */

import { text } from '../../core/schema/options.js';
import { normalizeDomain } from '../domain-name.js';
import { isReservedFrom } from '../market/inventory.js';
import { requireListing } from '../market/listed.js';
import type { EmulatorListing } from '../market/records.js';
import { search } from '../market/search.js';
import { ServiceError } from '../service-error.js';
import { domain } from '../values.js';
import { endpoint, listed, ok, type EndpointCall, type Endpoint } from './endpoint.js';
import { nothing } from './input.js';

const ofDomain = () => ({ domain: domain() });

export const inventoryEndpoints: readonly Endpoint[] = [
  endpoint(
    'GET /domains/search',
    { scopes: ['search'] },
    () => ({ q: text() }),
    (call) => {
      const found = search(inventoryOf(call).all(), call.input.q);
      const items = found.map((listing) => serializeListing(listing, call));
      return listed({ name: 'domains', items, nextCursor: null, all: () => items, extra: {} });
    },
  ),
  endpoint('GET /domains/{name}', { scopes: ['search'] }, nothing, (call) => {
    const { name = '' } = call.params;
    const domain = normalizeDomain(name);
    if (domain !== undefined) return ok(serializeListing(listingOf(call, domain), call));
    const message = `"name" is not a domain name: ${JSON.stringify(name)}.`;
    throw new ServiceError('validation_error', message);
  }),
  endpoint('GET /availability', { scopes: ['search'] }, ofDomain, (call) => {
    const { domain } = call.input;
    const listing = inventoryOf(call).find(domain);
    if (listing === undefined || isReserved(listing, call)) return ok({ domain, available: false });
    const { price_cents, currency } = listing;
    return ok({ domain, available: true, price_cents, currency });
  }),
  endpoint('GET /pricing', { scopes: ['search'] }, ofDomain, (call) => {
    const listing = listingOf(call, call.input.domain);
    const { domain, price_cents, floor_price_cents, currency } = listing;
    return ok({ domain, buy_now_price_cents: price_cents, floor_price_cents, currency });
  }),
];

function serializeListing(listing: EmulatorListing, call: EndpointCall<unknown>) {
  const { domain, price_cents, floor_price_cents, currency, metadata } = listing;
  const available = !isReserved(listing, call);
  return { domain, available, price_cents, floor_price_cents, currency, metadata };
}

function listingOf({ market, account }: EndpointCall<unknown>, domain: string): EmulatorListing {
  return requireListing(market, account.environment, domain);
}

function inventoryOf({ market, account }: EndpointCall<unknown>) {
  return market.inventory(account.environment);
}

function isReserved(listing: EmulatorListing, { market, account }: EndpointCall<unknown>): boolean {
  return isReservedFrom(listing, account.partnerId, market.clock.now());
}
