// Where the examples run: against the service when the three variables are set,
// else against an emulator inside this process, with no credentials and no network.
//
//   MARKET_BASE_URL=… MARKET_KEY_ID=… MARKET_SECRET=… node examples/quickstart.mjs

import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { failure } from './print.mjs';

/**
 * @param {{ scopes?: import('market-partner-sdk/testing').Scope[], readsOnly?: boolean }} options -
 *   `readsOnly`: the example changes nothing, so that it may run with a live key.
 */
export async function connect({ scopes, readsOnly = false } = {}) {
  const { MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET } = process.env;
  if (MARKET_BASE_URL || MARKET_KEY_ID || MARKET_SECRET) {
    // One or two of them alone are a mistake: the client names the one that is missing.
    const market = new MarketClient({ forbidLive: !readsOnly });
    return {
      market,
      emulator: undefined,
      where: `with your ${market.environment ?? ''} credential at ${MARKET_BASE_URL}`,
      variables: { MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET },
      close: () => market.close(),
    };
  }

  const emulator = await MarketEmulator.start();
  const { baseUrl } = emulator;
  const { keyId, secret } = emulator.createCredential(scopes === undefined ? {} : { scopes });
  // The emulator's clock: an example can let ten minutes pass and wait for nothing.
  const market = new MarketClient({ baseUrl, keyId, secret, clock: emulator.clock.now });
  return {
    market,
    emulator,
    where: `with an emulator of the service on ${baseUrl}: real HTTP, real signatures, no credentials`,
    // What another process needs to reach the same emulator.
    variables: { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret },
    async close() {
      await market.close();
      await emulator.stop();
    },
  };
}

/** The port that the system chose for a server. */
export function portOf(server) {
  return server.address().port;
}

// An error that an example does not handle ends it: with what is known of the call, and its key.
process.once('uncaughtException', (error) => {
  failure(error);
  process.exit(1);
});
