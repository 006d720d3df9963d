/** CrashSetup: a crash test that is ready to run. */

import type { MarketEmulator } from 'market-partner-sdk/testing';
import type { CrashWorkerConfig } from './crash-worker.js';

/** A prepared test. */
export interface CrashSetup {
  readonly emulator: MarketEmulator;
  readonly config: CrashWorkerConfig;
  readonly random: () => number;
  /** Effects that happened more than once, or not yet. */
  readonly countWrongEffects: () => Promise<number>;
  readonly settings: {
    readonly kills: number;
    readonly items: number;
    readonly patienceMs: number;
  };
}

/** How the processes of a crash test ended. */
export interface WorkerCounts {
  readonly kills: number;
  /** Exits that no kill caused. */
  readonly crashes: number;
}
