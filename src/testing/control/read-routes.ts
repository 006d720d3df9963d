/** The routes that show the state of the emulator. */

import * as z from 'zod/mini';
import { eventTypes } from '../../webhooks/event-types.js';
import { endpointName, endpoints } from '../endpoints/table.js';
import { deliveryFaults } from '../faults/delivery-faults.js';
import { ruled } from '../../core/schema/must.js';
import { string, withDefault } from '../../core/schema/options.js';
import { environment } from '../values.js';
import { whyNotListed } from '../market/listed.js';
import { lookUpOrder } from '../market/lookup.js';
import { EmulatorError } from '../service-error.js';
import { listFaults } from './fault-input.js';
import { nothing, read, type ControlTarget, type Route } from './route.js';
import { newest, viewState } from './view-state.js';
import * as views from './views.js';

const limited = (most = 1_000) => {
  const rule = ruled(`must be a whole number from 1 to ${most}`);
  const number = z.coerce.number(rule).check(z.int(rule), z.gte(1, rule), z.lte(most, rule));
  return { limit: withDefault(number, 100) };
};
const inEnvironment = () => ({ environment: environment() });

/** Literal paths come before paths with a placeholder in the same position. */
export const readRoutes: readonly Route[] = [
  read('/state', 'The whole state: the newest of each list.', limited, (target, { limit }) =>
    viewState(target, limit),
  ),
  read(
    '/requests',
    'The latest requests.',
    () => limited(5_000),
    ({ requests }, { limit }) => requests.entries.slice(-limit).map(views.viewRequest),
  ),
  read(
    '/requests/{requestId}',
    'A request with its response.',
    nothing,
    ({ requests }, { requestId }) => {
      const found = requests.entries.find((each) => each.requestId === requestId);
      if (found !== undefined) return views.viewRequestWithResponse(found);
      throw new EmulatorError(`There is no request ${requestId}.`, 'not_found');
    },
  ),
  read('/orders', 'The newest orders of all partners.', limited, ({ market }, { limit }) =>
    [...market.orders.values()]
      .slice(-limit)
      .map(({ order, account }) => views.viewOrder(order, account)),
  ),
  read('/orders/{publicId}', 'An order, and what may be done to it.', nothing, showOrder),
  read('/sessions', 'The newest hosted checkouts.', limited, (target, { limit }) =>
    newest(target, limit, ({ sessions }) => sessions, views.viewSession),
  ),
  read('/cases', 'The newest brokerage cases.', limited, (target, { limit }) =>
    newest(target, limit, ({ cases }) => cases, views.viewCase),
  ),
  read('/links', 'The newest tracking links.', limited, (target, { limit }) =>
    newest(target, limit, ({ links }) => links, views.viewLink),
  ),
  read('/payouts', 'The newest payouts to all partners.', limited, (target, { limit }) =>
    newest(
      target,
      limit,
      ({ payouts, referralPayouts }) => [...payouts, ...referralPayouts],
      views.viewPayout,
    ),
  ),
  read('/events', 'The latest events of all partners.', limited, ({ market }, { limit }) =>
    market.events.slice(-limit),
  ),
  read(
    '/deliveries',
    'The latest attempts to deliver webhooks, and what is still due.',
    limited,
    ({ deliveryQueue }, { limit }) => ({
      attempts: deliveryQueue.log.entries.slice(-limit),
      pending: deliveryQueue.pending(),
    }),
  ),
  read('/faults', 'The armed faults.', nothing, showFaults),
  read('/faults/options', 'Every fault that can be armed, with its effect.', nothing, () => ({
    calls: endpoints.map(endpointName),
    faults: listFaults(),
    deliveryFaults,
    eventTypes,
  })),
  read(
    '/domains',
    'The domains for sale whose name contains a text.',
    () => ({ search: withDefault(string(), ''), ...inEnvironment(), ...limited() }),
    ({ market, clock }, { search, environment, limit }) =>
      [...market.inventory(environment).all()]
        .filter(({ domain }) => domain.includes(search.toLowerCase()))
        .slice(0, limit)
        .map((listing) => views.viewListing(listing, clock.now())),
  ),
  read('/domains/{domain}', 'A domain for sale.', inEnvironment, (target, input) => {
    const { domain, environment } = input;
    const listing = target.market.inventory(environment).find(domain);
    if (listing !== undefined) return views.viewListing(listing, target.clock.now());
    throw new EmulatorError(whyNotListed(target.market, environment, domain), 'not_found');
  }),
  read('/clock', "The service's time.", nothing, ({ clock }) => views.viewClock(clock)),
  read('/credentials', 'The credentials, without their secrets.', nothing, ({ credentials }) =>
    [...credentials.all()].map(views.viewCredential),
  ),
];

/** Also the result of a move. */
export function showOrder({ market }: ControlTarget, { publicId }: { readonly publicId: string }) {
  const { order, account } = lookUpOrder(market, publicId);
  return views.viewOrder(order, account);
}

/** Also the result of arming a fault. */
export function showFaults({ faults }: ControlTarget) {
  return faults.list().map(views.viewFault);
}
