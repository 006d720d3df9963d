/** Sales over real sockets and faults, repeated with their key until they are placed. */

import { expect, it } from 'vitest';
import { MarketClient, MarketError, type OrderInput } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { Random } from '../simulation/random.js';
import { FaultProxy, passOn, type ProxiedRequest } from './fault-proxy.js';
import { socketFaults } from './socket-faults.js';

const salesCount = 60;
/** The endless ones take too long for so many. */
const faults = Object.values(socketFaults).filter(({ calls }) => calls === undefined);

it(`${salesCount} sales are placed once each`, { timeout: 120_000 }, async () => {
  await using emulator = await MarketEmulator.start({
    inventory: Array.from({ length: salesCount }, (_, at) => listing(at)),
  });
  const proxy = await FaultProxy.start(emulator.baseUrl);
  const { keyId, secret } = emulator.createCredential();
  const credential = { keyId, secret };
  const limits = { timeoutMs: 300, deadlineMs: 1_500, random: () => 0 };
  await using market = new MarketClient({ baseUrl: proxy.baseUrl, ...credential, ...limits });
  await using direct = new MarketClient({ baseUrl: emulator.baseUrl, ...credential });
  try {
    proxy.fault = { requested: chaos(new Random(42)) };
    await Promise.all(Array.from({ length: salesCount }, (_, at) => sell(market, at)));
    proxy.fault = passOn;
    for (let at = 0; at < salesCount; at += 1) {
      const order = await direct.orders.create(input(at), { idempotencyKey: `payment-${at}` });
      const found = await direct.orders.list({ domain: order.domain }).toArray();
      expect(found.map(({ public_id }) => public_id)).toEqual([order.public_id]);
    }
  } finally {
    await proxy.stop();
  }
});

/** A fault for two requests of three. */
function chaos(random: Random) {
  return (request: ProxiedRequest): void | Promise<void> => {
    const fault = random.chance(0.66) ? random.pick(faults) : passOn;
    if (fault.requested === undefined) request.socket.resetAndDestroy();
    return fault.requested?.(request);
  };
}

async function sell(market: MarketClient, at: number): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      const order = await market.orders.create(input(at), { idempotencyKey: `payment-${at}` });
      expect(order.domain).toBe(listing(at).domain);
      return;
    } catch (error) {
      if (!(error instanceof MarketError)) throw error;
      expect(error.outcome).not.toBe('rejected');
    }
  }
}

function listing(at: number) {
  return { domain: `sale-${at}.example`, price_cents: 100_000 };
}

function input(at: number): OrderInput {
  return { domain: listing(at).domain, expected_price: 100_000, currency: 'USD' };
}
