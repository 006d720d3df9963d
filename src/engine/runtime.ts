/** What all calls of a client share, and the clients made from it with `withOptions`. */

import type { Config } from '../config.js';
import { fetchTransport } from '../transport/fetch.js';
import { undiciTransport } from '../transport/undici.js';
import { Connection } from './connection.js';
import { RateGate } from './rate-gate.js';
import { RetryBudget } from './retry-budget.js';
import { ServiceClock } from './service-clock.js';

export interface Runtime {
  readonly connection: Connection;
  readonly clock: ServiceClock;
  readonly gate: RateGate;
  readonly budget: RetryBudget;
  /** The documented fields that were reported missing already: `orders.get sale_price_cents`. */
  readonly reported: Set<string>;
}

export function createRuntime(config: Config): Runtime {
  return {
    connection: new Connection(
      config.fetch === undefined
        ? undiciTransport(config.dispatcher)
        : fetchTransport(config.fetch),
    ),
    clock: new ServiceClock(config.clock),
    gate: new RateGate(),
    budget: new RetryBudget(),
    reported: new Set(),
  };
}

/**
 * The runtime of a client with other options: the same connections unless a new way to send was
 * given, and the same rate limit unless it is another credential's.
 */
export function inheritRuntime(
  config: Config,
  from: { config: Config; runtime: Runtime },
): Runtime {
  const fresh = createRuntime(config);
  const { config: old, runtime } = from;
  const sameWire = config.fetch === old.fetch && config.dispatcher === old.dispatcher;
  const sameService = config.origin === old.origin && config.prefix === old.prefix;
  // The gate holds a moment of the monotonic clock: on another one it would mean nothing.
  const sameLimit =
    sameService && config.signer.keyId === old.signer.keyId && config.elapsed === old.elapsed;
  return {
    ...fresh,
    ...(sameWire ? { connection: runtime.connection.share() } : {}),
    ...(sameService && config.clock === old.clock ? { clock: runtime.clock } : {}),
    ...(sameService ? { budget: runtime.budget } : {}),
    ...(sameLimit ? { gate: runtime.gate } : {}),
    reported: runtime.reported,
  };
}
