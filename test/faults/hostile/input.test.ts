/** Hostile input in every place of every call: refused by name, or sent to the call's own endpoint. */

import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, InvalidRequestError, MarketClient } from 'market-partner-sdk';
import type { WireRequest } from '../simulation/exchange.js';
import { json } from '../simulation/faults.js';
import {
  credential,
  settled,
  simulatedMarket,
  simulatedTime,
} from '../simulation/simulated-market.js';
import type { SimulatedTime } from '../simulation/simulated-time.js';
import { hostileValues } from './hostile-values.js';
import { clientOptions, inputPlaces, requestOptions } from './input-places.js';

let time: SimulatedTime;
beforeEach(() => {
  time = simulatedTime();
});

describe.each(inputPlaces)('$place', ({ place, target, invoke }) => {
  it('reaches its own endpoint or none', async () => {
    for (const [name, make] of hostileValues) {
      await expectOwnEndpoint(`${place} = ${name}`, target, (market) => invoke(market, make()));
    }
  });
});

describe.each(requestOptions)('the option %s of a call', (option) => {
  it('is refused by name or taken', async () => {
    for (const [name, make] of hostileValues) {
      await expectOwnEndpoint(`${option} = ${name}`, /^\/orders\/ord_1$/, (market) =>
        market.orders.get('ord_1', { [option]: make() }),
      );
    }
  });
});

describe.each(clientOptions)('the option %s of a client', (option) => {
  it('is refused by name or taken', () => {
    for (const [name, make] of hostileValues) {
      try {
        new MarketClient({ baseUrl: 'https://market.example', ...credential, [option]: make() });
      } catch (error) {
        if (error instanceof ConfigurationError && error.option?.startsWith(option)) continue;
        throw new Error(`${option} = ${name}: ${inspect(error)}`);
      }
    }
  });
});

async function expectOwnEndpoint(
  title: string,
  target: RegExp,
  invoke: (market: MarketClient) => PromiseLike<unknown>,
): Promise<void> {
  const { market, network } = simulatedMarket(
    time,
    () => (exchange) => {
      if (exchange.start()) exchange.respond(json(200, { items: [], public_id: 'ord_1' }));
    },
    { validateResponses: 'off' },
  );
  // A call rejects; it never throws where it is made.
  const promise = invoke(market);
  const result = await time.run(settled(() => promise));
  for (const request of network.sent) expectTarget(title, target, request);
  if ('error' in result && network.sent.length === 0) {
    if (!(result.error instanceof InvalidRequestError)) {
      throw new Error(`${title}: ${inspect(result.error)}`);
    }
    expect(result.error.issues.length).toBeGreaterThan(0);
    expect(result.error.message.length).toBeLessThan(5_000);
  }
}

function expectTarget(title: string, target: RegExp, request: WireRequest): void {
  const path = request.target.replace(/^\/api\/partner\/v1/, '').replace(/\?.*$/, '');
  if (!target.test(path)) throw new Error(`${title} was sent to ${request.target.slice(0, 200)}`);
  expect(request.target).toMatch(/^[!-~]+$/);
  expect(new URL(request.target, 'https://market.example').pathname).toBe(
    request.target.replace(/\?.*$/, ''),
  );
  for (const value of Object.values(request.headers)) expect(value).toMatch(/^[\t -~\x80-\xff]*$/);
}
