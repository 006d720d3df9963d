/** The routes of the control API: `/_emulator/v1` and these paths, named after the program's names. */

import type { Admin } from '../admin.js';
import type { Duration, EmulatorClock } from '../clock.js';
import type { Credentials, Environment } from '../credentials.js';
import type { DeliveryQueue } from '../deliveries/delivery-queue.js';
import type { DeliveryFault } from '../faults/delivery-faults.js';
import type { Faults } from '../faults/faults.js';
import type { Market } from '../market/market.js';
import type { ListingInput } from '../market/records.js';
import type { ReferralSaleInput } from '../market/referral.js';
import type { RecordedRequest } from '../request-log.js';
import type { EmulatorSnapshot } from '../snapshot.js';
import { ControlError } from './control-error.js';
import { readFaults } from './fault-input.js';
import type { FieldTypes, Values } from './fields.js';
import { viewAccount, viewCredential, viewFault, viewOrder, viewRequest } from './views.js';

/** The emulator as the control API sees it. */
export interface ControlTarget {
  readonly baseUrl: () => string;
  readonly clock: EmulatorClock;
  readonly admin: Admin;
  readonly faults: Faults;
  readonly market: Market;
  readonly credentials: Credentials;
  readonly deliveryQueue: DeliveryQueue;
  readonly requests: readonly RecordedRequest[];
  readonly idle: () => Promise<void>;
  readonly reset: () => void;
  readonly snapshot: () => EmulatorSnapshot;
  readonly restore: (snapshot: EmulatorSnapshot) => void;
  /** Writes the snapshot to the file of `--state`; `undefined` without one. */
  readonly saveState: () => (() => Promise<void>) | undefined;
}

/** One row: method and path, the fields of its body, and what it does. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path after `/_emulator/v1`, with placeholders in braces. */
  readonly path: string;
  readonly fields: FieldTypes;
  readonly run: (call: RouteCall) => unknown;
}

export interface RouteCall {
  readonly target: ControlTarget;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Values;
}

const transitions = [
  'hold',
  'clear',
  'startTransfer',
  'completeTransfer',
  'refund',
  'cancel',
] as const;

const read = (path: string, run: Route['run']): Route => ({ method: 'GET', path, fields: {}, run });

const write = (path: string, fields: FieldTypes, run: Route['run']): Route => ({
  method: 'POST',
  path,
  fields,
  run,
});

const reads: readonly Route[] = [
  read('/state', ({ target, query }) => viewState(target, limitOf(query))),
  read('/requests', ({ target, query }) => latest(target.requests, query).map(viewRequest)),
  read('/requests/{requestId}', ({ target, params }) => {
    const found = target.requests.find(({ requestId }) => requestId === params.requestId);
    return viewRequest(found ?? notFound('request', params.requestId));
  }),
  read('/orders', ({ target, query }) =>
    latest([...target.market.orders.values()], query).map(({ order, account }) =>
      viewOrder(order, account),
    ),
  ),
  read('/orders/{publicId}', ({ target, params }) => {
    const publicId = params.publicId ?? '';
    const found = target.market.orders.get(publicId) ?? notFound('order', publicId);
    return viewOrder(found.order, found.account);
  }),
  read('/events', ({ target, query }) => latest(target.market.events, query)),
  read('/deliveries', ({ target, query }) => ({
    attempts: latest(target.deliveryQueue.log.entries, query),
    pending: target.deliveryQueue.pending(),
  })),
  read('/faults', ({ target }) => target.faults.list().map(viewFault)),
  read('/clock', ({ target }) => viewClock(target.clock)),
  read('/credentials', ({ target }) => [...target.credentials.all()].map(viewCredential)),
];

const staff: readonly Route[] = [
  ...transitions.map((name) =>
    write(`/orders/{publicId}/${name}`, {}, ({ target, params }) => {
      target.admin[name](params.publicId ?? '');
      const found = target.market.orders.get(params.publicId ?? '');
      return found === undefined ? {} : viewOrder(found.order, found.account);
    }),
  ),
  write('/holdNextOrder', { count: 'number?' }, ({ target, body }) =>
    target.admin.holdNextOrder(body.count as number | undefined),
  ),
  write('/settle', {}, ({ target }) => target.admin.settle()),
  write(
    '/cases/{caseId}/closeCase',
    { outcome: 'string?', price_cents: 'number?' },
    ({ target, params, body }) => target.admin.closeCase(params.caseId ?? '', body),
  ),
  write('/sessions/{sessionId}/payCheckout', {}, ({ target, params }) =>
    target.admin.payCheckout(params.sessionId ?? ''),
  ),
  write(
    '/list',
    {
      domain: 'string',
      price_cents: 'number',
      floor_price_cents: 'number?',
      currency: 'string?',
      metadata: 'object?',
      environment: 'string?',
    },
    ({ target, body: { environment, ...listing } }) =>
      target.admin.list(listing as unknown as ListingInput, environmentOf(environment)),
  ),
  write(
    '/reprice',
    { domain: 'string', priceCents: 'number', environment: 'string?' },
    ({ target, body }) =>
      target.admin.reprice(
        body.domain as string,
        body.priceCents as number,
        environmentOf(body.environment),
      ),
  ),
  write('/delist', { domain: 'string', environment: 'string?' }, ({ target, body }) =>
    target.admin.delist(body.domain as string, environmentOf(body.environment)),
  ),
  write('/markActiveSite', { domain: 'string', isActive: 'boolean?' }, ({ target, body }) =>
    target.admin.markActiveSite(body.domain as string, body.isActive as boolean | undefined),
  ),
  write('/links/{linkId}/recordReferralClick', {}, ({ target, params }) =>
    target.admin.recordReferralClick(params.linkId ?? ''),
  ),
  write('/links/{linkId}/recordReferralCheckout', {}, ({ target, params }) =>
    target.admin.recordReferralCheckout(params.linkId ?? ''),
  ),
  write(
    '/links/{linkId}/recordReferralSale',
    {
      domain: 'string',
      amount_cents: 'number',
      commission_cents: 'number?',
      buyer: 'string?',
      currency: 'string?',
    },
    ({ target, params, body }) =>
      target.admin.recordReferralSale(params.linkId ?? '', body as unknown as ReferralSaleInput),
  ),
  write('/sales/{saleId}/reverseReferralSale', {}, ({ target, params }) =>
    target.admin.reverseReferralSale(params.saleId ?? ''),
  ),
  write(
    '/registerWebhook',
    { url: 'string', secret: 'string', partnerId: 'string?', environment: 'string?' },
    ({ target, body: { url, secret, environment, ...partner } }) =>
      target.admin.registerWebhook(url as string, secret as string, {
        ...partner,
        environment: environmentOf(environment),
      }),
  ),
  write(
    '/emitEvent',
    {
      type: 'string',
      order: 'string?',
      data: 'object?',
      partnerId: 'string?',
      environment: 'string?',
    },
    ({ target, body: { type, environment, ...options } }) =>
      target.admin.emitEvent(type as string, {
        ...options,
        environment: environmentOf(environment),
      }),
  ),
  write('/events/{eventId}/deliverAgain', {}, ({ target, params }) =>
    target.admin.deliverAgain(params.eventId ?? ''),
  ),
];

const faults: readonly Route[] = [
  write('/faults/next', { fault: 'any', times: 'any?' }, ({ target, body }) => {
    target.faults.next(readFaults(body.fault), timesOf(body));
    return target.faults.list().map(viewFault);
  }),
  write('/faults/on', { match: 'string', fault: 'any', times: 'any?' }, ({ target, body }) => {
    target.faults.on(body.match as string, readFaults(body.fault), timesOf(body));
    return target.faults.list().map(viewFault);
  }),
  write('/faults/clear', {}, ({ target }) => target.faults.clear()),
  write('/faults/{id}/remove', {}, ({ target, params }) => {
    if (!target.faults.remove(params.id ?? '')) notFound('armed fault', params.id);
  }),
  write(
    '/faults/deliveries/next',
    { fault: 'any', type: 'string?', times: 'any?' },
    ({ target, body }) => {
      const type = body.type === undefined ? {} : { type: body.type as string };
      target.faults.deliveries.next(body.fault as DeliveryFault, { ...type, ...timesOf(body) });
      return target.faults.list().map(viewFault);
    },
  ),
  write(
    '/faults/history/late',
    { duration: 'any', type: 'string?', times: 'any?' },
    ({ target, body }) => {
      const type = body.type === undefined ? {} : { type: body.type as string };
      target.faults.history.late(body.duration as Duration, { ...type, ...timesOf(body) });
      return target.faults.list().map(viewFault);
    },
  ),
  write('/faults/orderList/late', { duration: 'any', times: 'any?' }, ({ target, body }) => {
    target.faults.orderList.late(body.duration as Duration, timesOf(body));
    return target.faults.list().map(viewFault);
  }),
];

const emulator: readonly Route[] = [
  write('/clock/advance', { duration: 'any' }, ({ target, body }) => {
    target.clock.advance(body.duration as Duration);
    return viewClock(target.clock);
  }),
  write('/clock/set', { time: 'any' }, ({ target, body: { time } }) => {
    target.clock.set(typeof time === 'string' ? new Date(time) : (time as number));
    return viewClock(target.clock);
  }),
  write(
    '/credentials',
    {
      scopes: 'any?',
      environment: 'string?',
      affiliate: 'boolean?',
      partnerId: 'string?',
      keyId: 'string?',
      secret: 'string?',
    },
    ({ target, body }) => {
      if (body.scopes !== undefined && !Array.isArray(body.scopes)) {
        throw new TypeError('"scopes" must be an array of scopes');
      }
      return target.credentials.issue(body);
    },
  ),
  write('/credentials/{keyId}/revealSecret', {}, ({ target, params }) => {
    const keyId = params.keyId ?? '';
    const { secret } = target.credentials.find(keyId) ?? notFound('credential', keyId);
    return { keyId, secret };
  }),
  write('/idle', {}, ({ target }) => target.idle()),
  write('/reset', {}, ({ target }) => target.reset()),
  write('/snapshot', {}, ({ target }) => target.snapshot()),
  write('/restore', { snapshot: 'object' }, ({ target, body }) =>
    target.restore(body.snapshot as EmulatorSnapshot),
  ),
  write('/saveState', {}, async ({ target }) => {
    const save = target.saveState();
    if (save === undefined) {
      throw new ControlError(409, 'conflict', 'There is no state file: start with --state FILE.');
    }
    await save();
  }),
];

/** Every route; literal paths stand before paths with a placeholder in the same place. */
export const routes: readonly Route[] = [...reads, ...staff, ...faults, ...emulator];

function viewState(target: ControlTarget, limit: number) {
  const { market, clock, deliveryQueue } = target;
  const now = clock.now();
  const accounts = [...market.accounts()].map((account) => viewAccount(account, now));
  const all = <Name extends keyof ReturnType<typeof viewAccount>>(name: Name) =>
    accounts.flatMap((account) => account[name] as ReturnType<typeof viewAccount>[Name][number][]);
  const newest = <Item>(items: readonly Item[]) => items.slice(-limit);
  return {
    baseUrl: target.baseUrl(),
    clock: viewClock(clock),
    credentials: [...target.credentials.all()].map(viewCredential),
    orders: newest(all('orders')),
    quotes: newest(all('quotes')),
    sessions: newest(all('sessions')),
    cases: newest(all('cases')),
    links: newest(all('links')),
    webhooks: all('webhooks'),
    events: newest(market.events),
    deliveries: newest(deliveryQueue.log.entries),
    pendingDeliveries: deliveryQueue.pending().slice(0, limit),
    faults: target.faults.list().map(viewFault),
    ordersToHold: market.ordersToHold,
    counts: {
      orders: market.orders.size,
      events: market.events.length,
      requests: target.requests.length,
    },
  };
}

function viewClock(clock: EmulatorClock) {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), offsetMs: clock.offsetMs };
}

function latest<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  return items.slice(-limitOf(query));
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit') ?? '100';
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > 1000) {
    throw new ControlError(
      400,
      'validation_error',
      '"limit" must be a whole number from 1 to 1000.',
    );
  }
  return Number(text);
}

function timesOf({ times }: Values): { times?: number } {
  // JSON has no Infinity.
  return times === undefined ? {} : { times: times === null ? Infinity : (times as number) };
}

function environmentOf(value: unknown): Environment {
  if (value === undefined) return 'sandbox';
  if (value !== 'sandbox' && value !== 'live' && value !== 'test') {
    throw new TypeError('"environment" must be one of sandbox, live, test');
  }
  return value;
}

function notFound(what: string, id: string | undefined): never {
  throw new ControlError(404, 'not_found', `There is no ${what} ${id ?? ''}.`);
}
