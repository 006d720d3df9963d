/** What all calls of a client share, and the clients made from it with `withOptions`. */

import type { Config } from '../options/config.js';
import { fetchTransport } from '../transport/fetch.js';
import { undiciTransport } from '../transport/undici.js';
import { SharedTransport } from '../transport/shared-transport.js';
import { CredentialSource } from './credentials.js';
import { RetryBudget } from './retry/retry-budget.js';
import { ServiceClock } from './time/service-clock.js';

export type ClientState = Readonly<ReturnType<typeof createClientState>>;

export function createClientState(config: Config, clock = new ServiceClock(config.clock)) {
  return {
    transport: new SharedTransport(
      config.fetch === undefined ? undiciTransport(config) : fetchTransport(config.fetch),
    ),
    clock,
    credentials: new CredentialSource(config, clock),
    /** Failing reads take nothing from a paid order. */
    budgets: { reads: new RetryBudget(), writes: new RetryBudget() },
    /** The documented fields that were already reported missing: `orders.get sale_price_cents`. */
    reportedFields: new Set<string>(),
  };
}

/**
 * The state of a client with other options: the same connections unless a new transport was
 * passed, and the same rate limit unless the credential is another one.
 */
export function deriveClientState(
  config: Config,
  from: { config: Config; state: ClientState },
): ClientState {
  const { config: old, state } = from;
  const sharesTransport =
    config.fetch === old.fetch &&
    config.dispatcher === old.dispatcher &&
    config.proxy === old.proxy;
  const sameService = config.origin === old.origin && config.prefix === old.prefix;
  const sharesClock = sameService && config.clock === old.clock;
  const fresh = createClientState(config, sharesClock ? state.clock : undefined);
  // The hold ends at a moment of the monotonic clock: on another clock it would mean nothing.
  const sameLimit =
    sameService &&
    config.credential.keyId === old.credential.keyId &&
    config.credentials === old.credentials &&
    config.monotonicClock === old.monotonicClock;
  return {
    ...fresh,
    ...(sharesTransport ? { transport: state.transport.share() } : {}),
    ...(sameService ? { budgets: state.budgets } : {}),
    ...(sameLimit ? { credentials: sharedCredentials(config, fresh.clock, state) } : {}),
    reportedFields: state.reportedFields,
  };
}

/** The secret of the same key may have changed; a function's cache is shared whole. */
function sharedCredentials(
  config: Config,
  clock: ServiceClock,
  { credentials }: ClientState,
): CredentialSource {
  if (config.credentials !== undefined) return credentials;
  return new CredentialSource(config, clock, credentials.current.pacer);
}
