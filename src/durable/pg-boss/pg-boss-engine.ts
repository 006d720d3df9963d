/** `pgBossEngine`: PostgreSQL by pg-boss, any number of machines. */

import {
  boolean,
  callback,
  hasMethod,
  optionCheck,
  required,
  wholeNumber,
  type OptionTable,
} from '../../options.js';
import { checkSpec } from '../queue/check-jobs.js';
import type { DurableEngine, QueueEngine } from '../queue/engine.js';
import type { Notifier } from '../queue/notifier.js';
import { resolveTime, type TimeOptions } from '../../time/sleep.js';
import { createQueue } from '../queue/worker.js';
import { DurableConfigurationError } from '../errors.js';
import { checkDurableOptions } from '../options.js';
import type { PgBossLike, PgClientLike, PgPoolLike } from './boss.js';
import { isSchemaName, openCheckpoints, requireQueue } from './checkpoints.js';
import { listQueues } from './row-queries.js';
import { JobNotifications } from './job-notifications.js';
import { PgBossStore, type PgBossAddTx } from './pg-boss-store.js';

/** The options of `pgBossEngine`. */
export interface PgBossEngineOptions<Client extends PgClientLike> extends TimeOptions {
  /** A pg `Pool` on the database of `boss`: `commit` passes one of its clients. */
  readonly pool: PgPoolLike<Client>;
  /** The schema of `boss`. Default: `'pgboss'`. */
  readonly schema?: string | undefined;
  /** Whether the missing queue and checkpoint table are created. Default: `true`. */
  readonly migrate?: boolean | undefined;
  /**
   * How often to look for jobs of other processes, in milliseconds. Default: 500; 3,000 while
   * notifications come, for which `boss` keeps one connection of its own.
   */
  readonly pollMs?: number | undefined;
}

const table = {
  pool: required(optionCheck('must be a Pool of pg', (value) => hasMethod(value, 'connect'))),
  schema: optionCheck(
    'must be 1 to 50 letters, digits or underscores',
    (value) => typeof value === 'string' && isSchemaName(value),
  ),
  migrate: boolean,
  pollMs: wholeNumber(1),
  clock: callback,
  sleep: callback,
} satisfies OptionTable<PgBossEngineOptions<PgClientLike>>;

/**
 * Keeps jobs in PostgreSQL by pg-boss 12.33 or later, on any number of machines. `boss` and `pool`
 * are yours: start `boss` before, stop both after the inbox and the outbox.
 *
 * `tx` of an `enqueue` is a pg client, or what `fromKnex`, `fromKysely`, `fromDrizzle` and
 * `fromPrisma` of pg-boss give. `tx` of a `commit` is a client of `pool`.
 *
 * @throws {@link DurableConfigurationError} when `boss` or an option is unusable.
 *
 * @example
 * ```ts
 * import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
 *
 * export async function createEngine(connectionString: string) {
 *   const { Pool } = await import('pg');
 *   const { PgBoss } = await import('pg-boss');
 *   const boss = await new PgBoss({ connectionString }).start();
 *   return pgBossEngine(boss, { pool: new Pool({ connectionString }) });
 * }
 * ```
 */
export function pgBossEngine<Client extends PgClientLike>(
  boss: PgBossLike,
  options: PgBossEngineOptions<Client>,
): DurableEngine<Client, PgBossAddTx<Client>> {
  checkBoss(boss);
  const checked = checkDurableOptions(table, options);
  const { pool, schema = 'pgboss', migrate = true, pollMs = 500 } = checked;
  const time = resolveTime(checked);
  const notifiers = new Map<string, Set<Notifier>>();
  const notifications = new JobNotifications(() => boss.getDb(), schema, pollMs, notifiers);
  // Node ends the process at an "error" event without a listener.
  if (boss.listenerCount('error') === 0) {
    boss.on('error', (error) => console.warn('pg-boss:', error));
  }
  const engine: QueueEngine<Client, PgBossAddTx<Client>> = {
    name: 'pg-boss',
    traits: { survives: 'machine', order: 'key', transactions: true },
    listQueues: () => listQueues(boss.getDb(), schema),
    open: async (spec) => {
      checkSpec(spec);
      await openCheckpoints(boss.getDb(), schema, migrate);
      if (migrate) await boss.createQueue(spec.name, { policy: 'key_strict_fifo' });
      else await requireQueue(boss.getDb(), schema, spec.name);
      const store = new PgBossStore({ boss, pool, schema, spec, notifications, clock: time.clock });
      const ofQueue = notifiers.get(spec.name) ?? new Set();
      notifiers.set(spec.name, ofQueue);
      return createQueue(
        store,
        { time, leaseMs: spec.leaseMs, pollMs: notifications.pollMs },
        ofQueue,
      );
    },
  };
  return engine;
}

function checkBoss(boss: unknown): void {
  const { fetch, getDb } = (boss ?? {}) as Partial<PgBossLike>;
  if (typeof fetch === 'function' && typeof getDb === 'function') return;
  throw new DurableConfigurationError('"boss" must be a PgBoss of pg-boss 12.33 or later.');
}
