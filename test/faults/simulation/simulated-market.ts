/** A client in simulated time, with a network that plays the faults of a test. */

import { onTestFinished } from 'vitest';
import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { SimulatedNetwork, type Fault, type Service } from './exchange.js';
import { Random } from './random.js';
import { SimulatedTime } from './simulated-time.js';

export const credential = { keyId: 'mk_sandbox_1f0c', secret: 'the-secret-of-these-tests' };

/** Installs simulated time until the test ends. */
export function simulatedTime(): SimulatedTime {
  const time = new SimulatedTime();
  time.install();
  onTestFinished(() => time.uninstall());
  return time;
}

export interface SimulatedMarket {
  readonly market: MarketClient;
  readonly network: SimulatedNetwork;
}

export function simulatedMarket(
  time: SimulatedTime,
  faultFor: (index: number) => Fault,
  options: ClientOptions = {},
  service: Service = () => ({ status: 200, headers: {}, body: '{"items":[]}' }),
): SimulatedMarket {
  let index = -1;
  const network = new SimulatedNetwork({
    time,
    random: new Random(1),
    service,
    faultFor: () => faultFor((index += 1)),
  });
  const baseUrl = 'https://market.example';
  const market = new MarketClient({ baseUrl, ...credential, dispatcher: network, ...options });
  return { market, network };
}

/** How a call ended. */
export type Settled = { readonly value: unknown } | { readonly error: unknown };

export async function settled(call: () => PromiseLike<unknown>): Promise<Settled> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}
