/** `crashTest`: kills processes of the inbox or the outbox, and counts what that did. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MarketEmulator } from 'market-partner-sdk/testing';
import type { CrashFault } from './crash-faults.js';
import { crashEvents } from './crash-events.js';
import type { CrashSetup } from './crash-setup.js';
import { crashOrders, type OrdersReport } from './crash-orders.js';
import type { CrashWorkerConfig } from './crash-worker.js';
import { callModule } from './engine-module.js';
import type { EventsReport } from './judge-events.js';
import { troubleMs, type Troubles } from './troubles.js';

/** The options of `crashTest`. */
export interface CrashTestOptions {
  /** The inbox with its events, or the outbox with its orders. */
  readonly target: 'inbox' | 'outbox';
  /**
   * A module whose default export makes an engine of a store's path or name. With `writeEffect`
   * and `readEffects` it is tested that effects happen exactly once.
   */
  readonly engineModule: string;
  /** How often a process is killed -9. */
  readonly kills: number;
  /** How often a process is frozen for longer than its lease. Default: 0. */
  readonly freezes?: number | undefined;
  /** How often a lock that commits need is held for longer than a lease. Default: 0. */
  readonly locks?: number | undefined;
  /** How often all processes are killed, and their store is emptied. Default: 0. */
  readonly empties?: number | undefined;
  /** How often the service responds 503 to everything for some seconds. Default: 0. */
  readonly outages?: number | undefined;
  /** Whether the clocks of the processes are wrong by up to two hours at first. Default: `false`. */
  readonly wrongClocks?: boolean | undefined;
  /**
   * Whether the history shows the last event of some sales later than any poll reads again, so that
   * their deliveries are all that is there. Default: `false`.
   */
  readonly hidesEvents?: boolean | undefined;
  /** How many events or intents, at least. Default: two for each 100 ms, 60 at least. */
  readonly items?: number | undefined;
  /** The same seed kills and fails in the same rhythm. Default: 1. */
  readonly seed?: number | undefined;
  /** Passed to the engine module. Default: a path in a temporary folder, removed at the end. */
  readonly store?: string | undefined;
  /** Whether the service forgets every Idempotency-Key at once. Default: `false`. */
  readonly forgetsKeys?: boolean | undefined;
  /** Whether intents are added by outboxes that place none, as in web processes. Default: `false`. */
  readonly addsElsewhere?: boolean | undefined;
  /** A planted fault, to see that the test fails. */
  readonly plantedFault?: CrashFault | undefined;
  /** How long to wait for the last items after the last kill, in milliseconds. Default: 150,000. */
  readonly patienceMs?: number | undefined;
}

/** How far back polls read where events are hidden, which are shown long after. */
const hiddenOverlapMs = 2_000;

/** What a crash test found. */
export type CrashReport = (EventsReport | OrdersReport) & {
  readonly kills: number;
  /** Exits of worker processes that were not killed, such as by an uncaught error. Must be 0. */
  readonly crashes: number;
  /** Locks during which other work stood still, too. Must be 0. */
  readonly stalls: number;
  /** Effects that happened more than once, or never, where the engine module has effects. */
  readonly wrongEffects: number;
};

/**
 * Runs two processes of an inbox or outbox against an emulator with faults. It kills them at random
 * moments and starts them again. At the end it judges each event or intent.
 */
export async function crashTest(options: CrashTestOptions): Promise<CrashReport> {
  const { kills, target, seed = 1, patienceMs = 150_000, hidesEvents = false } = options;
  const { freezes = 0, locks = 0, empties = 0, outages = 0, wrongClocks = false } = options;
  const troubles: Troubles = { kills, freezes, locks, empties, outages };
  // Three events a sale.
  const items = 3 * Math.ceil((options.items ?? Math.max(60, msOf(troubles) / 50)) / 3);
  const folder = mkdtempSync(join(tmpdir(), 'market-crash-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const emulator = await MarketEmulator.start({
    ...(options.forgetsKeys === true && { idempotencyMemory: 1 }),
    // An event that the history hides is known by its deliveries alone: they must come again soon.
    ...(hidesEvents && { webhookRetries: Array.from({ length: 60 }, () => '1 second') }),
  });
  try {
    const engineModule = resolve(options.engineModule);
    const { lockStopsStore, hasOneClock } = (await callModule(
      engineModule,
      '{ lockStopsStore: module.lockStopsStore, hasOneClock: module.hasOneClock }',
    )) as { lockStopsStore?: boolean; hasOneClock?: boolean };
    const { keyId, secret } = emulator.createCredential({ keyId: 'mk_sandbox_crash' });
    const config: CrashWorkerConfig = {
      target,
      ledger,
      plantedFault: options.plantedFault,
      webhookSecret: 'whsec_of_the_crash_test',
      clocks: !wrongClocks ? 'right' : hasOneClock === true ? 'one' : 'many',
      recovers: empties > 0,
      addsElsewhere: options.addsElsewhere === true,
      isSlow: freezes > 0,
      beats: locks > 0,
      overlapMs: hidesEvents ? hiddenOverlapMs : undefined,
      engineModule,
      store: options.store ?? join(folder, 'store.db'),
      client: { baseUrl: emulator.baseUrl, keyId, secret },
      intents: target === 'outbox' ? intents(items) : [],
      // A shop that lost its store has no refunds to give again.
      refunds: target === 'outbox' && empties === 0 ? refundedKeys(items) : [],
    };
    const setup: CrashSetup = {
      emulator,
      config,
      random: seeded(seed),
      lockStopsStore: lockStopsStore === true,
      settings: { troubles, items, patienceMs, hidesEvents },
      countWrongEffects: (count) => countWrongEffects(config, count),
    };
    return target === 'inbox' ? await crashEvents(setup) : await crashOrders(setup);
  } finally {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A tenth names a price that the service refuses. */
function intents(count: number): CrashWorkerConfig['intents'] {
  return Array.from({ length: count }, (_, index) => ({
    key: `pay-${index}`,
    order: {
      domain: `crash-${index}.example`,
      expected_price: index % 10 === 0 ? 1 : 100_000,
      currency: 'USD',
    },
  }));
}

/** A third of the sales, of which some are refused. */
function refundedKeys(count: number): CrashWorkerConfig['refunds'] {
  return Array.from({ length: Math.ceil(count / 3) }, (_, index) => `pay-${3 * index}`);
}

async function countWrongEffects(
  { engineModule, store }: CrashWorkerConfig,
  items: number,
): Promise<number> {
  const read = `module.readEffects?.(${JSON.stringify(store)})`;
  const effects = (await callModule(engineModule, read)) as string[] | null;
  if (effects === null) return 0;
  const distinct = new Set(effects).size;
  return effects.length - distinct + Math.abs(items - distinct);
}

function msOf(troubles: Troubles): number {
  return (Object.keys(troubles) as (keyof Troubles)[])
    .map((name) => troubles[name] * troubleMs[name])
    .reduce((sum, ms) => sum + ms, 0);
}

/** Mulberry32: a test must not depend on Math.random alone. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
