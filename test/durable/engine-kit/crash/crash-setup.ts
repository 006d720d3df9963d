/** CrashSetup: a crash test that is ready to run. */

import type { MarketEmulator } from 'market-partner-sdk/testing';
import type { CrashWorkerConfig } from './crash-worker.js';
import type { Troubles } from './troubles.js';

/** A prepared test. */
export interface CrashSetup {
  readonly emulator: MarketEmulator;
  readonly config: CrashWorkerConfig;
  readonly random: () => number;
  /** Effects of so many items that happened more than once, or not yet. */
  readonly countWrongEffects: (items: number) => Promise<number>;
  readonly lockStopsStore: boolean;
  readonly settings: {
    readonly troubles: Troubles;
    readonly items: number;
    readonly patienceMs: number;
    /** Whether the history shows the last event of some sales later than any poll reads again. */
    readonly hidesEvents: boolean;
  };
}

/** How the processes of a crash test ended. */
export interface WorkerCounts {
  readonly kills: number;
  /** Exits that no kill caused. */
  readonly crashes: number;
  /** Locks during which also that stood still which the lock does not concern. */
  readonly stalls: number;
  readonly wrongEffects: number;
}
