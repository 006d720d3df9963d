/** `crashTest`: kills processes of the inbox or the outbox, and counts what that did. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MarketEmulator } from 'market-partner-sdk/testing';
import type { PlantedFault } from '../planted-fault.js';
import { crashEvents } from './crash-events.js';
import type { CrashSetup } from './crash-setup.js';
import { crashOrders, type OrdersReport } from './crash-orders.js';
import type { CrashWorkerConfig } from './crash-worker.js';
import type { EventsReport } from './judge-events.js';

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
  /** How many events or intents. Default: six for each kill, 60 at least. */
  readonly items?: number | undefined;
  /** The same seed kills and fails in the same rhythm. Default: 1. */
  readonly seed?: number | undefined;
  /** Passed to the engine module. Default: a path in a temporary folder, removed at the end. */
  readonly store?: string | undefined;
  /** Whether the service forgets every Idempotency-Key at once. Default: `false`. */
  readonly forgetsKeys?: boolean | undefined;
  /** A planted fault, to see that the test fails. */
  readonly plantedFault?: PlantedFault | undefined;
  /** How long to wait for the last items after the last kill, in milliseconds. Default: 150,000. */
  readonly patienceMs?: number | undefined;
}

/** What a crash test found. */
export type CrashReport = (EventsReport | OrdersReport) & {
  readonly kills: number;
  /** Exits of worker processes that were not killed, such as by an uncaught error. Must be 0. */
  readonly crashes: number;
  /** Effects that happened more than once, or never, where the engine module has effects. */
  readonly wrongEffects: number;
};

/**
 * Runs two processes of an inbox or outbox against an emulator with faults. It kills them at random
 * moments and starts them again. At the end it judges each event or intent.
 */
export async function crashTest(options: CrashTestOptions): Promise<CrashReport> {
  const { kills, target, seed = 1, patienceMs = 150_000 } = options;
  // Three events a sale.
  const items = 3 * Math.ceil((options.items ?? Math.max(60, kills * 6)) / 3);
  const folder = mkdtempSync(join(tmpdir(), 'market-crash-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const emulator = await MarketEmulator.start(
    options.forgetsKeys === true ? { idempotencyMemory: 1 } : {},
  );
  try {
    const { keyId, secret } = emulator.createCredential({ keyId: 'mk_sandbox_crash' });
    const config: CrashWorkerConfig = {
      ...{
        target,
        ledger,
        plantedFault: options.plantedFault,
        webhookSecret: 'whsec_of_the_crash_test',
      },
      engineModule: resolve(options.engineModule),
      store: options.store ?? join(folder, 'store.db'),
      client: { baseUrl: emulator.baseUrl, keyId, secret },
      intents: target === 'outbox' ? intents(items) : [],
    };
    const setup: CrashSetup = {
      ...{ emulator, config, random: seeded(seed), settings: { kills, items, patienceMs } },
      countWrongEffects: () => countWrongEffects(config, items),
    };
    const report = target === 'inbox' ? await crashEvents(setup) : await crashOrders(setup);
    return { ...report, wrongEffects: await setup.countWrongEffects() };
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

/** In a process of its own: this package is CommonJS, and the engine's module may not be. */
async function countWrongEffects(
  { engineModule, store }: CrashWorkerConfig,
  items: number,
): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--no-warnings', '--input-type=module', '-e'],
    `const { readEffects } = await import(${JSON.stringify(pathToFileURL(engineModule).href)});
     console.log(JSON.stringify((await readEffects?.(${JSON.stringify(store)})) ?? null));`,
  ]);
  const effects = JSON.parse(stdout) as string[] | null;
  if (effects === null) return 0;
  const distinct = new Set(effects).size;
  return effects.length - distinct + Math.abs(items - distinct);
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
