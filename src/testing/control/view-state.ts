/** viewState: the whole state of an emulator as JSON, which a page shows and keeps up to date. */

import type { Account } from '../market/account.js';
import type { ControlTarget } from './route.js';
import {
  viewCase,
  viewClock,
  viewCredential,
  viewFault,
  viewLink,
  viewOrder,
  viewQuote,
  viewSession,
  viewWebhook,
  type ViewContext,
} from './views.js';

/** The newest entries of each list, `limit` of them at most; all webhooks and faults. */
export function viewState(target: ControlTarget, limit: number) {
  const { market, clock, deliveryQueue } = target;
  return {
    baseUrl: target.baseUrl,
    clock: viewClock(clock),
    credentials: [...target.credentials.all()].map(viewCredential),
    orders: newest(target, limit, ({ orders }) => orders, viewOrder),
    quotes: newest(target, limit, ({ quotes }) => quotes.values(), viewQuote),
    sessions: newest(target, limit, ({ sessions }) => sessions, viewSession),
    cases: newest(target, limit, ({ cases }) => cases, viewCase),
    links: newest(target, limit, ({ links }) => links, viewLink),
    webhooks: market.accounts().flatMap(viewWebhook),
    events: market.events.slice(-limit),
    deliveries: deliveryQueue.log.entries.slice(-limit),
    pendingDeliveries: deliveryQueue.pending().slice(0, limit),
    faults: target.faults.list().map(viewFault),
    ordersToHold: market.ordersToHold,
    refundsToHold: market.refundsToHold,
    counts: {
      orders: market.orders.size,
      events: market.events.length,
      requests: target.requests.entries.length,
    },
  };
}

/** Only what is shown is serialized: a page reads the state often, of any number of orders. */
export function newest<Item, View>(
  { market, baseUrl }: ControlTarget,
  limit: number,
  itemsOf: (account: Account) => Iterable<Item>,
  view: (item: Item, account: Account, context: ViewContext) => View,
): View[] {
  const context = { now: market.clock.now(), baseUrl };
  return market
    .accounts()
    .flatMap((account) => [...itemsOf(account)].slice(-limit).map((item) => ({ item, account })))
    .slice(-limit)
    .map(({ item, account }) => view(item, account, context));
}
