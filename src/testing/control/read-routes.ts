/** The routes that show the state of the emulator. */

import { endpointName, endpoints } from '../endpoints/table.js';
import { deliveryFaults } from '../faults/delivery-faults.js';
import { environmentOf } from './fields.js';
import { eventTypes } from '../../webhooks/event-types.js';
import { whyNotListed } from '../market/listed.js';
import { lookUpOrder } from '../market/lookup.js';
import { EmulatorError } from '../service-error.js';
import { listFaults } from './fault-input.js';
import { read, type Route } from './route.js';
import { viewState } from './view-state.js';
import {
  viewClock,
  viewCredential,
  viewFault,
  viewListing,
  viewOrder,
  viewRequest,
  viewRequestWithResponse,
} from './views.js';

export const readRoutes: readonly Route[] = [
  read('/state', ({ target, query }) => viewState(target, limitOf(query))),
  read('/requests', ({ target, query }) => latest(target.requests.entries, query).map(viewRequest)),
  read('/requests/{requestId}', ({ target, params: { requestId } }) => {
    const found = target.requests.entries.find((each) => each.requestId === requestId);
    if (found !== undefined) return viewRequestWithResponse(found);
    throw new EmulatorError(`There is no request ${requestId}.`, 'not_found');
  }),
  read('/orders', ({ target, query }) =>
    latest([...target.market.orders.values()], query).map(({ order, account }) =>
      viewOrder(order, account),
    ),
  ),
  read('/orders/{publicId}', ({ target, params }) => {
    const { order, account } = lookUpOrder(target.market, params.publicId);
    return viewOrder(order, account);
  }),
  read('/events', ({ target, query }) => latest(target.market.events, query)),
  read('/deliveries', ({ target, query }) => ({
    attempts: latest(target.deliveryQueue.log.entries, query),
    pending: target.deliveryQueue.pending(),
  })),
  read('/faults', ({ target }) => target.faults.list().map(viewFault)),
  read('/faults/options', () => ({
    calls: endpoints.map(endpointName),
    faults: listFaults(),
    deliveryFaults,
    eventTypes,
  })),
  read('/domains', ({ target, query }) => {
    const text = (query.get('search') ?? '').toLowerCase();
    const found: unknown[] = [];
    const limit = limitOf(query);
    for (const listing of target.market.inventory(environmentOf(query.get('environment'))).all()) {
      if (found.length === limit) break;
      if (listing.domain.includes(text)) found.push(viewListing(listing, target.clock.now()));
    }
    return found;
  }),
  read('/domains/{domain}', ({ target, query, params: { domain } }) => {
    const environment = environmentOf(query.get('environment'));
    const listing = target.market.inventory(environment).find(domain);
    if (listing !== undefined) return viewListing(listing, target.clock.now());
    throw new EmulatorError(whyNotListed(target.market, environment, domain), 'not_found');
  }),
  read('/clock', ({ target }) => viewClock(target.clock)),
  read('/credentials', ({ target }) => [...target.credentials.all()].map(viewCredential)),
];

function latest<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  return items.slice(-limitOf(query));
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit') ?? '100';
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > 1000) {
    throw new TypeError('"limit" must be a whole number from 1 to 1000.');
  }
  return Number(text);
}
