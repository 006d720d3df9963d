/** `memoryEngine`: for tests, and for one process that may lose its jobs. */

import { lazily, strict } from '../../core/schema/options.js';
import { checkDurableOptions, timeFields } from '../options.js';
import type { DurableEngine, QueueEngine } from '../queue/engine.js';
import type { Notifier } from '../queue/notifier.js';
import { resolveTime, type TimeOptions } from '../../core/time/sleep.js';
import { createQueue } from '../queue/worker.js';
import { MemoryStore } from './memory-store.js';

const optionsSchema = lazily(() => strict(timeFields()));

/**
 * Keeps jobs in this process's memory: for tests, and for one process that may lose them. A process
 * that ends loses all of them; with `startFrom: 'beginning'` the inbox reads its events again.
 *
 * @throws {@link DurableConfigurationError} when an option is wrong.
 *
 * @example
 * ```ts
 * import { memoryEngine } from 'market-partner-sdk/durable';
 *
 * const engine = memoryEngine();
 * console.log(engine.name); // memory
 * ```
 */
export function memoryEngine(options: TimeOptions = {}): DurableEngine {
  const time = resolveTime(checkDurableOptions(optionsSchema, options));
  const queues = new Map<string, { store: MemoryStore; notifiers: Set<Notifier> }>();
  const engine: QueueEngine = {
    name: 'memory',
    listQueues: () => Promise.resolve([...queues.keys()]),
    open: (spec) => {
      const opened = queues.get(spec.name) ?? {
        store: new MemoryStore(spec, time.clock),
        notifiers: new Set(),
      };
      queues.set(spec.name, opened);
      // No other process can add a job: only the notifiers wake the workers.
      const settings = { time, leaseMs: spec.leaseMs, pollMs: () => spec.leaseMs };
      return Promise.resolve(createQueue<never>(opened.store, settings, opened.notifiers));
    },
  };
  return engine;
}
