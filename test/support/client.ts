/** A client over real sockets that ends with its test. */

import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { onTestFinished } from 'vitest';
import { credential } from './mock-market.js';

/** It waits for nothing between attempts, and does not look at what a response holds. */
export function clientOf(options: ClientOptions): MarketClient {
  const market = new MarketClient({
    ...credential,
    validateResponses: 'off',
    sleep: () => Promise.resolve(),
    random: () => 0,
    ...options,
  });
  onTestFinished(() => market.close());
  return market;
}
