/** `connectingEngine`: an engine that makes its own boss and pool, and closes them with its last queue. */

import { DurableConfigurationError } from '../errors.js';
import type { QueueEngine } from '../queue/engine.js';
import type { PgBossLike, PgClientLike, PgPoolLike } from './boss.js';
import type { PgBossAddTx } from './pg-boss-store.js';
import { untilSerialized } from './transactions.js';

type Engine<Client extends PgClientLike> = QueueEngine<Client, PgBossAddTx<Client>>;

interface Connection<Client extends PgClientLike> {
  readonly engine: Engine<Client>;
  readonly close: () => Promise<void>;
}

/** What the connections are made with. */
export interface ConnectOptions {
  readonly connectionString: string;
  readonly maxConnections: number;
  readonly schema: string;
  readonly migrate: boolean;
}

/** @param create - makes the engine of a boss and a pool that are connected */
export function connectingEngine<Client extends PgClientLike>(
  options: ConnectOptions,
  create: (boss: PgBossLike, pool: PgPoolLike<Client>) => Engine<Client>,
): Engine<Client> {
  let users = 0;
  let connection: Promise<Connection<Client>> | undefined;
  return {
    name: 'pg-boss',
    open: async (spec) => {
      const { engine } = await acquire();
      try {
        const queue = await engine.open(spec);
        const close = () => queue.close().finally(release);
        return { ...queue, close };
      } catch (error) {
        await release();
        throw error;
      }
    },
    listQueues: async () => {
      const { engine } = await acquire();
      return engine.listQueues().finally(release);
    },
  };

  async function acquire(): Promise<Connection<Client>> {
    users += 1;
    try {
      return await (connection ??= connect(options, create));
    } catch (error) {
      users -= 1;
      // The next call tries again: PostgreSQL may start after this program.
      connection = undefined;
      throw error;
    }
  }

  async function release(): Promise<void> {
    users -= 1;
    if (users > 0) return;
    const last = connection;
    connection = undefined;
    await (await last)?.close();
  }
}

type Pool<Client extends PgClientLike> = PgPoolLike<Client> & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: Client) => void): unknown;
  end(): Promise<void>;
};
type Boss = PgBossLike & {
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
};
export type PoolClass<Client extends PgClientLike> = new (options: object) => Pool<Client>;
export type BossClass = new (options: object) => Boss;

async function connect<Client extends PgClientLike>(
  { connectionString, maxConnections, schema, migrate }: ConnectOptions,
  create: (boss: PgBossLike, pool: PgPoolLike<Client>) => Engine<Client>,
): Promise<Connection<Client>> {
  // Literals, which bundlers follow: Next.js makes an import of a variable one that always fails.
  const pg = () => import('pg');
  // @ts-expect-error -- only the tests of the engines install it
  const pgBoss = (): Promise<unknown> => import('pg-boss');
  const Pool = await load<PoolClass<Client>>('pg', pg, 'Pool');
  const PgBoss = await load<BossClass>('pg-boss', pgBoss, 'PgBoss');
  const warn = (what: string) => (error: Error) => console.warn(`${what}:`, error.message);
  // The boss keeps one more, to listen.
  const ofBoss = Math.max(1, Math.floor((maxConnections - 1) / 3));
  const pool = new Pool({ connectionString, max: maxConnections - 1 - ofBoss });
  const boss = new PgBoss({
    connectionString,
    max: ofBoss,
    schema,
    migrate,
    createSchema: migrate,
  });
  return startEngine(boss, pool, warn, () => create(boss, pool));
}

/**
 * An engine on a boss, which is started here, and on a pool.
 *
 * @param report - receives the errors of both that no call is told
 * @returns The engine, and how both are closed.
 */
export async function startEngine<Client extends PgClientLike, Started>(
  boss: Boss,
  pool: Pool<Client>,
  report: (what: string) => (error: Error) => void,
  create: () => Started,
): Promise<{ readonly engine: Started; readonly close: () => Promise<void> }> {
  // Node ends the process at an "error" event without a listener: of an idle connection, and of one in use.
  pool.on('error', report('an idle connection to PostgreSQL is lost'));
  pool.on('connect', (client) =>
    client.on?.('error', report('a connection to PostgreSQL is lost')),
  );
  boss.on('error', report('pg-boss'));
  const close = async () => {
    await boss.stop({ graceful: false });
    await pool.end();
  };
  try {
    await untilSerialized(() => boss.start());
    return { engine: create(), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** The oldest releases that work; of pg, those before 8 do not connect on the Nodes that are supported. */
export const needed = 'pg 8.11 and pg-boss 12.35, or later';

/** A class of the partner's own packages. */
async function load<Loaded>(
  name: string,
  importPackage: () => Promise<unknown>,
  member: string,
): Promise<Loaded> {
  let loaded: Readonly<Record<string, unknown>>;
  try {
    loaded = (await importPackage()) as typeof loaded;
  } catch (cause) {
    throw new DurableConfigurationError(
      `"connectionString" needs pg and pg-boss, and ${name} does not load. Run npm install pg pg-boss.`,
      { cause },
    );
  }
  const found = loaded[member] ?? (Object(loaded.default) as typeof loaded)[member];
  if (typeof found === 'function') return found as Loaded;
  throw new DurableConfigurationError(
    `The ${name} of your program has no ${member}: it is too old. The engine needs Node 22.12, ${needed}: npm install pg@8 pg-boss@12.`,
  );
}
