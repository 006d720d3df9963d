/** What the module of an engine exports, and how the test itself calls it. */

import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { QueueEngine } from '../../../../src/durable/queue/engine.js';
import type { CrashFault } from './crash-faults.js';

/** What the engine of a worker is opened with. */
export interface EngineSettings {
  readonly clock: () => number;
  /** `waitsForLocks` and `blocksOnLock` are planted by the module. */
  readonly fault?: CrashFault | undefined;
}

/** What the module of an engine exports. */
export interface EngineModule {
  readonly default: (
    store: string,
    settings: EngineSettings,
  ) => QueueEngine<unknown> | Promise<QueueEngine<unknown>>;
  /** Writes an effect in a transaction of the engine, without any unique key. */
  readonly writeEffect?: (tx: unknown, id: string) => unknown;
  /** The same without a transaction of the engine, for a planted fault. */
  readonly writeOutside?: (id: string) => unknown;
  /** The ids of all effects, in a list. */
  readonly readEffects?: (store: string) => string[] | Promise<string[]>;
  /** Holds a lock during `work` that `writeEffect` needs: for every effect, or for some. */
  readonly holdLock?: (store: string, work: () => Promise<void>) => unknown;
  /** Whether that lock stops the whole store, so that nothing can end meanwhile. */
  readonly lockStopsStore?: boolean;
  /** Whether leases are counted by the clocks of the processes, which are then one machine's. */
  readonly hasOneClock?: boolean;
  /** Removes what is stored, effects included, while no process runs. */
  readonly emptyStore?: (store: string) => unknown;
}

/** In a process of its own: this package is CommonJS, and the engine's module may not be. */
export async function callModule(engineModule: string, expression: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--no-warnings', '--input-type=module', '-e'],
    `const module = await import(${JSON.stringify(pathToFileURL(engineModule).href)});
     console.log(JSON.stringify((await ${expression}) ?? null));`,
  ]);
  return JSON.parse(stdout) as unknown;
}
