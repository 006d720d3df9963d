/** viewState: the whole state of an emulator as JSON, which a page shows and keeps up to date. */

import type { Account } from '../market/account.js';
import type { Market } from '../market/market.js';
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
} from './views.js';

/** The newest entries of each list, `limit` of them at most; all webhooks and faults. */
export function viewState(target: ControlTarget, limit: number) {
  const { market, clock, deliveryQueue } = target;
  return {
    baseUrl: target.baseUrl(),
    clock: viewClock(clock),
    credentials: [...target.credentials.all()].map(viewCredential),
    orders: newest(market, limit, ({ orders }) => orders, viewOrder),
    quotes: newest(market, limit, ({ quotes }) => quotes.values(), viewQuote),
    sessions: newest(market, limit, ({ sessions }) => sessions, viewSession),
    cases: newest(market, limit, ({ cases }) => cases, viewCase),
    links: newest(market, limit, ({ links }) => links, viewLink),
    webhooks: market.accounts().flatMap(viewWebhook),
    events: market.events.slice(-limit),
    deliveries: deliveryQueue.log.entries.slice(-limit),
    pendingDeliveries: deliveryQueue.pending().slice(0, limit),
    faults: target.faults.list().map(viewFault),
    ordersToHold: market.ordersToHold,
    counts: {
      orders: market.orders.size,
      events: market.events.length,
      requests: target.requests.entries.length,
    },
  };
}

/** Only what is shown is serialized: a page reads the state often, of any number of orders. */
export function newest<Item, View>(
  market: Market,
  limit: number,
  itemsOf: (account: Account) => Iterable<Item>,
  view: (item: Item, account: Account, now: number) => View,
): View[] {
  const now = market.clock.now();
  return market
    .accounts()
    .flatMap((account) => [...itemsOf(account)].slice(-limit).map((item) => ({ item, account })))
    .slice(-limit)
    .map(({ item, account }) => view(item, account, now));
}
