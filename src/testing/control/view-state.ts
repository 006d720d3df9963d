/** viewState: the whole state of an emulator as JSON, which a page shows and keeps up to date. */

import type { ControlTarget } from './route.js';
import { viewAccount, viewClock, viewCredential, viewFault } from './views.js';

/** The newest entries of each list, `limit` of them at most; all webhooks and faults. */
export function viewState(target: ControlTarget, limit: number) {
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
      requests: target.requests.entries.length,
    },
  };
}
