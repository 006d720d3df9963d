/** `pgBossEngine`: PostgreSQL by pg-boss, any number of machines. */

import {
  boolean,
  hasMethod,
  lazily,
  matching,
  must,
  strict,
  text,
  wholeNumber,
  withDefault,
  type Fields,
  type Output,
} from '../../core/schema/options.js';
import type { DurableEngine, QueueEngine } from '../queue/engine.js';
import type { Notifier } from '../queue/notifier.js';
import { resolveTime, type TimeOptions } from '../../core/time/sleep.js';
import { createQueue } from '../queue/worker.js';
import { checkDurableOptions, timeFields } from '../options.js';
import { noJob, queuePolicy, type PgBossLike, type PgClientLike, type PgPoolLike } from './boss.js';
import { openCheckpoints, requireQueue, schemaName } from './checkpoints.js';
import { connectingEngine } from './connect.js';
import { listQueues } from './row-queries.js';
import { JobNotifications } from './job-notifications.js';
import { PgBossStore, type PgBossAddTx } from './pg-boss-store.js';
import { findPlace } from './place.js';
import { untilSerialized } from './transactions.js';

/** What both forms of `pgBossEngine` take. */
interface CommonOptions extends TimeOptions {
  /** The schema of the boss. Default: `'pgboss'`. */
  readonly schema?: string | undefined;
  /** Whether the missing queue and checkpoint table are created. Default: `true`. */
  readonly migrate?: boolean | undefined;
  /**
   * How often to look for jobs of other processes, in milliseconds. Default: 500; 3,000 while
   * notifications come, for which the boss keeps one connection of its own.
   */
  readonly pollMs?: number | undefined;
  /**
   * Dates what this process records, and makes no job due: that is PostgreSQL's clock, which nothing moves. A test
   * that is about a later hour needs `sqliteEngine` or `memoryEngine`. Default: the machine's clock.
   */
  readonly clock?: (() => number) | undefined;
}

/** The options of `pgBossEngine` with a boss of yours. */
export interface PgBossEngineOptions<Client extends PgClientLike> extends CommonOptions {
  /** A pg `Pool` on the database of `boss`: `commit` passes one of its clients. */
  readonly pool: PgPoolLike<Client>;
}

/** The options of `pgBossEngine` without one. */
export interface PgBossConnectionOptions extends CommonOptions {
  /** The database: `postgres://user:password@host/database`. */
  readonly connectionString: string;
  /**
   * How many connections this engine opens at most, at least 3. Default: 13. One listens, a third of the others is
   * the boss's, and the rest is for commits: one for each that runs.
   */
  readonly maxConnections?: number | undefined;
}

const commonFields = () =>
  ({
    schema: withDefault(
      matching(schemaName, 'must be 1 to 50 letters, digits or underscores'),
      'pgboss',
    ),
    migrate: withDefault(boolean(), true),
    pollMs: withDefault(wholeNumber(1), 500),
    ...timeFields(),
  }) satisfies Fields<CommonOptions>;

const connectionSchema = lazily(() =>
  strict({
    connectionString: text(),
    maxConnections: withDefault(wholeNumber(3), 13),
    ...commonFields(),
  } satisfies Fields<PgBossConnectionOptions>),
);
type CommonSettings = Omit<Output<typeof connectionSchema>, 'connectionString' | 'maxConnections'>;

const ownSchema = lazily(() => {
  const isPool = (value: unknown) => hasMethod(value, 'connect');
  const pool = must<PgPoolLike>('must be a Pool of pg', isPool);
  return strict({ pool, ...commonFields() } satisfies Fields<PgBossEngineOptions<PgClientLike>>);
});

/** Releases of pg-boss before 12 lack some of them; what 12.35 can do, `requireFence` tries. */
const bossMethods = ['fetch', 'getDb', 'getQueue', 'insert', 'touch', 'update'] as const;

const bossSchema = lazily(() =>
  must<PgBossLike>('must be { connectionString }, or a PgBoss of pg-boss 12.35 or later', (value) =>
    bossMethods.every((name) => hasMethod(value, name)),
  ),
);

/**
 * Keeps jobs in PostgreSQL by pg-boss 12.35 or later, on any number of machines. With `connectionString` it makes a
 * boss and a pool from the packages `pg` and `pg-boss` when an inbox or outbox first uses it, and closes them when
 * all are stopped. A `boss` and a `pool` of yours are closed by you: start `boss` before, stop both after the
 * inbox and the outbox.
 *
 * `tx` of an `enqueue` is a pg client, or what `fromKnex`, `fromKysely`, `fromDrizzle` and
 * `fromPrisma` of pg-boss give. `tx` of a `commit` is a client of the pool: `pgBossEngine<PoolClient>(…)`.
 *
 * @throws {@link DurableConfigurationError} when `boss` or an option is unusable. An inbox or outbox is refused at its
 * start when `schema` is not the boss's, or `pool` is on another database.
 *
 * @example
 * ```ts
 * import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
 *
 * export const engine = pgBossEngine({ connectionString: process.env.DATABASE_URL ?? 'postgres://' });
 * ```
 */
export function pgBossEngine<Client extends PgClientLike = PgClientLike>(
  options: PgBossConnectionOptions,
): DurableEngine<Client, PgBossAddTx<Client>>;
export function pgBossEngine<Client extends PgClientLike>(
  boss: PgBossLike,
  options: PgBossEngineOptions<Client>,
): DurableEngine<Client, PgBossAddTx<Client>>;
export function pgBossEngine<Client extends PgClientLike>(
  first: PgBossLike | PgBossConnectionOptions,
  options?: PgBossEngineOptions<Client>,
): DurableEngine<Client, PgBossAddTx<Client>> {
  if (options === undefined && hasConnectionString(first)) {
    const given = checkDurableOptions(connectionSchema, first);
    const { connectionString, maxConnections, ...common } = given;
    const { schema, migrate } = common;
    return connectingEngine<Client>(
      { connectionString, maxConnections, schema, migrate },
      (boss, pool) => engineOf(checkDurableOptions(bossSchema, boss, 'boss'), pool, common),
    );
  }
  const boss = checkDurableOptions(bossSchema, first, 'boss');
  const { pool, ...common } = checkDurableOptions(ownSchema, options ?? {});
  return engineOf(boss, pool as PgPoolLike<Client>, common);
}

/** A text is often a connection string by itself, with a password: the check of the boss refuses it unquoted. */
function hasConnectionString(value: unknown): value is PgBossConnectionOptions {
  return typeof value === 'object' && value !== null && 'connectionString' in value;
}

function engineOf<Client extends PgClientLike>(
  boss: PgBossLike,
  pool: PgPoolLike<Client>,
  { schema, migrate, pollMs, ...times }: CommonSettings,
): QueueEngine<Client, PgBossAddTx<Client>> {
  const time = resolveTime(times);
  const notifiers = new Map<string, Set<Notifier>>();
  const notifications = new JobNotifications(() => boss.getDb(), schema, pollMs, notifiers);
  // Node ends the process at an "error" event without a listener.
  if (boss.listenerCount('error') === 0) {
    boss.on('error', (error) => console.warn('pg-boss:', error));
  }
  return {
    name: 'pg-boss',
    openHint:
      'A boss that runs on the pool of your transaction waits for the client of that transaction. Roll back, add again, and give the boss a connection of its own.',
    listQueues: () => listQueues(boss.getDb(), schema),
    open: async (spec) => {
      await untilSerialized(async () => {
        if (migrate) await boss.createQueue(spec.name, { policy: queuePolicy });
        else await requireQueue(boss.getDb(), schema, spec.name);
      });
      const place = await findPlace(boss, schema, spec.name);
      await untilSerialized(() => openCheckpoints(boss.getDb(), schema, migrate));
      // pg-boss reads a new queue at its first use. That may be an add in a transaction, whose client it would wait for.
      await boss.getJobById(spec.name, noJob);
      const { clock } = time;
      const store = new PgBossStore({ boss, pool, schema, spec, place, notifications, clock });
      const ofQueue = notifiers.get(spec.name) ?? new Set();
      notifiers.set(spec.name, ofQueue);
      return createQueue(
        store,
        { time, leaseMs: spec.leaseMs, pollMs: notifications.pollMs },
        ofQueue,
      );
    },
  };
}
