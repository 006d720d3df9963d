/** Events whose listeners succeed, whatever the listeners of a test do. */

import type { MarketEvent } from 'market-partner-sdk';
import type { EventContext } from 'market-partner-sdk/durable';
import type { MarketWorld } from './market-world.js';

type Listener = (event: MarketEvent, context: EventContext) => unknown;

let others = 0;

export async function sellOther(world: MarketWorld): Promise<void> {
  others += 1;
  const domain = `other-${others}.example`;
  world.emulator.admin.list({ domain, price_cents: 100_000 });
  await world.market.orders.create({ domain, expected_price: 100_000, currency: 'USD' });
}

/** The listeners, which do not run for the events of `sellOther`. */
export function sparing<On>(on: On): { readonly on?: On } {
  const listeners = Object.entries(Object(on) as object);
  if (!listeners.some(([, listener]) => typeof listener === 'function')) return {};
  const spared = listeners.map(([type, listener]) => [
    type,
    (event: MarketEvent, context: EventContext) => {
      const { order } = event.data as { order?: { domain?: string } };
      return order?.domain?.startsWith('other-') === true
        ? undefined
        : (listener as Listener)(event, context);
    },
  ]);
  return { on: Object.fromEntries(spared) as On };
}
