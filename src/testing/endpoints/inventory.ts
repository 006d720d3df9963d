/** Specification, 4.1. */

import { isReservedFrom } from '../market/inventory.js';
import { requireListing } from '../market/listed.js';
import { search } from '../market/search.js';
import { listed, ok, type EndpointCall, type Endpoint } from './endpoint.js';
import { ServiceError } from '../service-error.js';
import type { EmulatorListing } from '../market/records.js';
import { normalizeDomain } from '../domain-name.js';

export const inventoryEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/domains/search', scopes: ['search'], run: searchDomains },
  { method: 'GET', path: '/domains/{name}', scopes: ['search'], run: getDomain },
  { method: 'GET', path: '/availability', scopes: ['search'], run: checkAvailability },
  { method: 'GET', path: '/pricing', scopes: ['search'], run: getPricing },
];

function searchDomains(call: EndpointCall) {
  const found = search(inventoryOf(call).all(), call.query.requiredText('q'));
  const items = found.map((listing) => serializeListing(listing, call));
  return listed({ name: 'domains', items, nextCursor: null, all: () => items, extra: {} });
}

function getDomain(call: EndpointCall) {
  const name = call.params.name ?? '';
  const domain = normalizeDomain(name);
  if (domain === undefined) {
    throw new ServiceError(
      'validation_error',
      `"name" is not a domain name: ${JSON.stringify(name)}.`,
    );
  }
  return ok(serializeListing(listingOf(call, domain), call));
}

function checkAvailability(call: EndpointCall) {
  const domain = call.query.requiredDomain('domain');
  const listing = inventoryOf(call).find(domain);
  if (listing === undefined || isReserved(listing, call)) return ok({ domain, available: false });
  const { price_cents, currency } = listing;
  return ok({ domain, available: true, price_cents, currency });
}

function getPricing(call: EndpointCall) {
  const listing = listingOf(call, call.query.requiredDomain('domain'));
  const { domain, price_cents, floor_price_cents, currency } = listing;
  return ok({ domain, buy_now_price_cents: price_cents, floor_price_cents, currency });
}

function serializeListing(listing: EmulatorListing, call: EndpointCall) {
  const { domain, price_cents, floor_price_cents, currency, metadata } = listing;
  const available = !isReserved(listing, call);
  return { domain, available, price_cents, floor_price_cents, currency, metadata };
}

function listingOf({ market, account }: EndpointCall, domain: string): EmulatorListing {
  return requireListing(market, account.environment, domain);
}

function inventoryOf({ market, account }: EndpointCall) {
  return market.inventory(account.environment);
}

function isReserved(listing: EmulatorListing, { market, account }: EndpointCall): boolean {
  return isReservedFrom(listing, account.partnerId, market.clock.now());
}
