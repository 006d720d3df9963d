/** `engineChecks`: what an engine must do, as tests for any framework. */

import { deadLetterChecks } from './checks/dead-letters.js';
import { enqueueChecks } from './checks/enqueue.js';
import { leaseChecks } from './checks/leases.js';
import { orderChecks } from './checks/order.js';
import { queueChecks } from './checks/queues.js';
import { transactionChecks } from './checks/transactions.js';
import { volumeChecks } from './checks/volume.js';
import { EngineHarness, type CheckSettings, type EngineUnderTest } from './engine-harness.js';

/** A test: give `name` and `run` to your framework. */
export interface EngineCheck {
  readonly name: string;
  /** Rejects when the engine does not do what the name says. */
  readonly run: () => Promise<void>;
  /** The longest time that the test should get. */
  readonly timeoutMs: number;
}

/**
 * The checks that an engine must pass, for vitest, jest and node:test. Each calls `create` for an
 * engine on an empty store.
 */
export function engineChecks<Tx>(
  create: () => EngineUnderTest<Tx> | Promise<EngineUnderTest<Tx>>,
  options: Partial<CheckSettings> = {},
): EngineCheck[] {
  const { leaseMs = 1_000 } = options;
  const settings: CheckSettings = {
    leaseMs,
    takeoverMs: 3 * leaseMs,
    backlog: 10_000,
    claimMs: 20,
    ...options,
  };
  const checks = [
    ...enqueueChecks,
    ...orderChecks,
    ...leaseChecks,
    ...deadLetterChecks,
    ...queueChecks,
    ...transactionChecks,
    ...volumeChecks,
  ];
  return checks.map(({ name, run, timeoutMs = 10_000 }) => ({
    name,
    timeoutMs: timeoutMs + 2 * settings.takeoverMs,
    run: async () => {
      // The checks hand out transactions as they got them, and never look inside.
      const harness = new EngineHarness((await create()) as unknown as EngineUnderTest, settings);
      try {
        await run(harness);
      } finally {
        await harness.end();
      }
    },
  }));
}
