/** What tests on pg-boss open for themselves: a schema, a pool, a boss and a market, which end with their test. */

import { randomBytes } from 'node:crypto';
import { describe, onTestFinished } from 'vitest';
import { MarketWorld } from './market-world.js';
import { pg, pgBoss, type Boss, type PgPool } from './pg-boss-under-test.js';
import { isReachable, postgresUrl, skipReason } from './servers.js';

const isAway = !(await isReachable(postgresUrl));

/** Tests that are skipped, under a title that says why, where pg-boss, PostgreSQL or what else they need is missing. */
export function describeOnPgBoss(
  title: string,
  tests: () => void,
  missing: Readonly<Record<string, boolean>> = {},
): void {
  const skipped = skipReason({
    'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
    'PostgreSQL at DATABASE_URL': isAway,
    ...missing,
  });
  const reason = skipped === undefined ? '' : `, ${skipped}`;
  describe.skipIf(skipped !== undefined)(title + reason, tests);
}

export const queueLimits = { leaseMs: 30_000, keepDoneMs: 86_400_000 };

export function newSchema(): string {
  const schema = `mp_${randomBytes(6).toString('hex')}`;
  onTestFinished(async () => {
    const pool = new pg!.Pool({ connectionString: postgresUrl.href, max: 1 });
    await pool.query(`drop schema if exists ${schema} cascade`);
    await pool.end();
  });
  return schema;
}

export function openPool(options: object = {}): PgPool {
  const pool = new pg!.Pool({ connectionString: postgresUrl.href, ...options });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  return pool;
}

export async function openBoss(schema: string, options = {}, module = pgBoss): Promise<Boss> {
  const quiet = { connectionString: postgresUrl.href, supervise: false, schedule: false };
  const boss = new module!.PgBoss({ ...quiet, schema, ...options });
  boss.on('error', () => undefined);
  onTestFinished(() => boss.stop({ graceful: false }));
  return boss.start();
}

export async function openMarket(): Promise<MarketWorld> {
  const world = await MarketWorld.start();
  onTestFinished(() => world.stop());
  return world;
}
