/** Specification, 4.1. */

import { isReservedFrom, listedOr404, normalDomain, type Listing } from '../market/inventory.js';
import { search } from '../market/search.js';
import { listed, ok, type Call, type Endpoint } from '../service/endpoint.js';
import { Refusal } from '../service/refusal.js';

export const inventoryEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/domains/search', scopes: ['search'], run: searchDomains },
  { method: 'GET', path: '/domains/{name}', scopes: ['search'], run: getDomain },
  { method: 'GET', path: '/availability', scopes: ['search'], run: checkAvailability },
  { method: 'GET', path: '/pricing', scopes: ['search'], run: getPricing },
];

function searchDomains(call: Call) {
  const found = search(inventoryOf(call).all(), call.query.requiredText('q'));
  const items = found.map((listing) => listingOnWire(listing, call));
  return listed({ name: 'domains', items, nextCursor: null, all: () => items, extra: {} });
}

function getDomain(call: Call) {
  const name = call.params.name ?? '';
  const domain = normalDomain(name);
  if (domain === undefined) {
    throw new Refusal('validation_error', `"name" is not a domain name: ${JSON.stringify(name)}.`);
  }
  return ok(listingOnWire(listedOr404(inventoryOf(call), domain), call));
}

function checkAvailability(call: Call) {
  const domain = call.query.requiredDomain('domain');
  const listing = inventoryOf(call).find(domain);
  if (listing === undefined || isReserved(listing, call)) return ok({ domain, available: false });
  const { price_cents, currency } = listing;
  return ok({ domain, available: true, price_cents, currency });
}

function getPricing(call: Call) {
  const listing = listedOr404(inventoryOf(call), call.query.requiredDomain('domain'));
  const { domain, price_cents, floor_price_cents, currency } = listing;
  return ok({ domain, buy_now_price_cents: price_cents, floor_price_cents, currency });
}

function listingOnWire(listing: Listing, call: Call) {
  const { domain, price_cents, floor_price_cents, currency, metadata } = listing;
  const available = !isReserved(listing, call);
  return { domain, available, price_cents, floor_price_cents, currency, metadata };
}

function inventoryOf({ market, account }: Call) {
  return market.inventory(account.environment);
}

function isReserved(listing: Listing, { market, account }: Call): boolean {
  return isReservedFrom(listing, account.partnerId, market.clock.now());
}
