/** pg-boss on a real PostgreSQL, as `engineChecks` takes it. Each subject has a schema of its own. */

import { randomBytes } from 'node:crypto';
import { pgBossEngine, type PgBossLike } from 'market-partner-sdk/durable/pg-boss';
import type { EngineUnderTest } from '../engine-kit/index.js';
import { startCuttableProxy } from './cuttable-proxy.js';
import { freezableTime } from './freezable-time.js';
import { queueEngine } from './open-engines.js';
import { addressOf, findPackage, postgresUrl } from './servers.js';

export interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  release(error?: boolean | Error): void;
}

export interface PgPool {
  connect(): Promise<PgClient>;
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

export type Boss = PgBossLike & { start(): Promise<Boss>; stop(options: object): Promise<void> };

export const pg = findPackage('pg') as { Pool: new (options: object) => PgPool } | undefined;
interface BossModule {
  readonly PgBoss: new (options: object) => Boss;
}

/** The oldest release that works. */
export const pgBoss = findPackage('pg-boss') as BossModule | undefined;
export const newestPgBoss = findPackage('pg-boss-newest') as BossModule | undefined;
export const tooOldPgBoss = findPackage('pg-boss-too-old') as BossModule | undefined;

/** @param wrapPool - stands between the engine and its pool, but not those of `another` */
export async function pgBossUnderTest(
  pollMs = 50,
  wrapPool = (pool: PgPool): Pick<PgPool, 'connect'> => pool,
  bossModule = pgBoss,
): Promise<EngineUnderTest<PgClient>> {
  if (pg === undefined || bossModule === undefined)
    throw new Error('pg or pg-boss is not installed');
  const { Pool } = pg;
  const { PgBoss } = bossModule;
  const schema = `mp_${randomBytes(6).toString('hex')}`;
  const proxy = await startCuttableProxy(addressOf(postgresUrl));
  const url = new URL(postgresUrl);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const connectionString = url.href;

  const bosses: Boss[] = [];
  const pools: PgPool[] = [];
  const open = async () => {
    const options = { connectionString, schema, max: 4, supervise: false, schedule: false };
    const boss = new PgBoss(options);
    boss.on('error', () => undefined);
    bosses.push(await boss.start());
    const pool = new Pool({ connectionString, max: 4 });
    pool.on('error', () => undefined);
    pools.push(pool);
    return { boss, pool };
  };
  const time = freezableTime(500);
  const first = await open();
  await first.pool.query(`create table ${schema}.mark (value integer)`);
  const settings = { schema, pollMs };
  return {
    engine: queueEngine(
      pgBossEngine(first.boss, {
        pool: wrapPool(first.pool),
        ...settings,
        ...time.options,
      }),
    ),
    another: async () => {
      const { boss, pool } = await open();
      return queueEngine(pgBossEngine(boss, { pool, ...settings }));
    },
    crash: time.freeze,
    interrupt: (ms) => proxy.cut(ms),
    transaction: async (work) => {
      const client = await first.pool.connect();
      try {
        await client.query('begin');
        await work(client);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
    marks: {
      write: (tx) => tx.query(`insert into ${schema}.mark values (1)`),
      count: async () => {
        const { rows } = await first.pool.query(`select count(*)::int as n from ${schema}.mark`);
        return (rows[0] as { n: number }).n;
      },
    },
    close: async () => {
      await first.pool.query(`drop schema ${schema} cascade`);
      for (const boss of bosses) await boss.stop({ graceful: false });
      for (const pool of pools) await pool.end();
      await proxy.close();
    },
  };
}
