/** A domain that is listed in an emulator, and a client of it, in the emulator's time. */

import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { fakeSleep } from '../../support/virtual-time.js';

export const domain = 'brew.example';
export const price = 250_000;

export async function emulateSale(price_cents = price, options: EmulatorOptions = {}) {
  const inventory = [{ domain, price_cents, floor_price_cents: 1_000 }];
  const emulator = await MarketEmulator.start({ inventory, ...options });
  const slept: number[] = [];
  return { emulator, market: clientOf(emulator, slept), slept };
}

/** Another process of the shop, with a credential of its own. */
export function clientOf(emulator: MarketEmulator, slept: number[]): MarketClient {
  const { baseUrl, fetch, clock } = emulator;
  const { keyId, secret } = emulator.createCredential();
  return new MarketClient({
    ...{ baseUrl, keyId, secret, fetch },
    maxRetries: 0,
    validateResponses: 'off',
    clock: () => clock.now(),
    sleep: fakeSleep((ms) => slept.push(ms)),
  });
}
