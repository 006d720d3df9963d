/** `bullmqEngine`: Redis by BullMQ, any number of machines. */

import { checkSpec } from '../engine/check-jobs.js';
import type { DurableEngine } from '../engine/engine.js';
import type { Latch } from '../engine/latch.js';
import { resolveTime, type Time, type TimeOptions } from '../engine/time.js';
import { DurableConfigurationError } from '../errors.js';
import { checkKnownOptions, checkTime } from '../options.js';
import type { BullQueueClass, BullWorkerClass } from './bullmq.js';
import { openQueue } from './open-queue.js';
import { warnOfServer } from './server-warnings.js';

/** The options of `bullmqEngine`. */
export interface BullmqEngineOptions extends TimeOptions {
  /** The `Queue` class of BullMQ 6. */
  readonly Queue: BullQueueClass;
  /** The `Worker` class of BullMQ 6. */
  readonly Worker: BullWorkerClass;
  /** What BullMQ connects with: options of ioredis, or a client with `maxRetriesPerRequest: null`. */
  readonly connection: object;
  /** What every key begins with. In braces, so that a cluster keeps all on one node. Default: `'{market}'`. */
  readonly prefix?: string | undefined;
  /** How many jobs run at once, on all machines together. Default: 4. */
  readonly shards?: number | undefined;
}

const known: Readonly<Record<keyof BullmqEngineOptions, true>> = {
  ...{ Queue: true, Worker: true, connection: true, prefix: true, shards: true },
  ...{ clock: true, sleep: true },
};

/** A server that is away causes an error for each attempt to reconnect. */
const warnEveryMs = 60_000;

const mostShards = 64;

/**
 * Keeps jobs in Redis by BullMQ 6, on any number of machines. A queue is split into `shards` by
 * ordering key, and each shard runs one job at a time: a slow job delays those of its shard.
 *
 * Redis may lose its latest writes when it crashes. Events are then read again; the outbox requires
 * `recover`.
 *
 * @throws {@link DurableConfigurationError} where an option is unusable.
 *
 * @example
 * ```ts
 * import { bullmqEngine } from 'market-partner-sdk/durable/bullmq';
 *
 * export async function createEngine() {
 *   const { Queue, Worker } = await import('bullmq');
 *   return bullmqEngine({ Queue, Worker, connection: { host: '127.0.0.1', port: 6379 } });
 * }
 * ```
 */
export function bullmqEngine(options: BullmqEngineOptions): DurableEngine {
  checkKnownOptions(options, Object.keys(known));
  const { prefix = '{market}', shards = 4 } = options;
  checkOptions(options, prefix, shards);
  const time = resolveTime(options);
  const latches = new Map<string, Set<Latch>>();
  const onError = warnSeldom(time.clock);
  let warning: Promise<void> | undefined;
  return {
    name: 'bullmq',
    traits: { survives: 'machine', order: 'shard', transactions: false },
    open: async (spec) => {
      checkSpec(spec);
      const names = Array.from({ length: shards }, (_, index) => `${spec.name}-${index}`);
      const settings = { ...options, prefix, names, leaseMs: spec.leaseMs, onError };
      const ofQueue = latches.get(spec.name) ?? new Set();
      latches.set(spec.name, ofQueue);
      return openQueue(spec, settings, time, ofQueue, (redis) => (warning ??= warnOfServer(redis)));
    },
  };
}

function warnSeldom(clock: Time['clock']): (error: Error) => void {
  let warnedAt = -Infinity;
  return ({ message }) => {
    if (clock() - warnedAt < warnEveryMs) return;
    warnedAt = clock();
    console.warn('bullmqEngine:', message);
  };
}

function checkOptions(options: BullmqEngineOptions, prefix: string, shards: number): void {
  for (const name of ['Queue', 'Worker'] as const) {
    if (typeof (options[name] as unknown) !== 'function') {
      throw new DurableConfigurationError(`"${name}" must be the class ${name} of BullMQ 6.`);
    }
  }
  const { connection } = options as { connection: unknown };
  if (typeof connection !== 'object' || connection === null) {
    throw new DurableConfigurationError(
      '"connection" must be options of ioredis, or a client of ioredis.',
    );
  }
  if (typeof (prefix as unknown) !== 'string' || !/^[^:]*\{[^{}:]+\}[^:]*$/.test(prefix)) {
    throw new DurableConfigurationError(
      '"prefix" must have a name in braces, such as "{market}", and no colon.',
    );
  }
  if (!Number.isInteger(shards) || shards < 1 || shards > mostShards) {
    throw new DurableConfigurationError(`"shards" must be a whole number from 1 to ${mostShards}.`);
  }
  checkTime(options);
}
