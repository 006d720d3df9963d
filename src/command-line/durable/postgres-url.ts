/** `openPostgres`: the database of a `postgres:` url, by the partner's own pg and pg-boss. */

import type { DurableEngine } from '../../durable/queue/engine.js';
import { checkpointDdl, isSchemaName } from '../../durable/pg-boss/checkpoints.js';
import { pgBossEngine } from '../../durable/pg-boss/pg-boss-engine.js';
import type { PgBossLike, PgClientLike, PgPoolLike } from '../../durable/pg-boss/boss.js';
import { UsageError } from '../terminal.js';
import type { DdlRequest, EngineRequest, OpenEngine } from './engine-kind.js';
import { requirePackage } from './partner-package.js';

type Pool = PgPoolLike &
  PgClientLike & {
    on(event: 'error', listener: () => void): unknown;
    end(): Promise<void>;
  };
type Boss = PgBossLike & {
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
};

const connectTimeoutMs = 10_000;

export async function openPostgres({ url, schema, cwd }: EngineRequest): Promise<OpenEngine> {
  checkSchema(schema);
  const { Pool } = requirePackage(cwd, 'pg') as { Pool: new (options: object) => Pool };
  const { PgBoss } = requirePackage(cwd, 'pg-boss') as { PgBoss?: new (options: object) => Boss };
  if (PgBoss === undefined) throw new Error('The pg-boss of your program is older than 12.33.');
  const connection = { connectionString: url, max: 2, connectionTimeoutMillis: connectTimeoutMs };
  const pool = new Pool(connection);
  // Without timers: the programs that are at work keep house.
  const boss = new PgBoss({
    ...{ ...connection, schema, migrate: false, createSchema: false },
    ...{ supervise: false, schedule: false },
  });
  // Node ends the process at an "error" event without a listener.
  for (const each of [pool, boss] as const) each.on('error', () => undefined);
  const close = async () => {
    await boss.stop({ graceful: false });
    await pool.end();
  };
  try {
    await start(boss, schema);
    const engine = pgBossEngine(boss, { pool, schema, migrate: false });
    return {
      engine: engine as DurableEngine<unknown> as DurableEngine,
      listQueues: () => listQueues(pool, schema),
      close,
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** pg-boss says "not installed" of its tables, which sounds like a package. */
async function start(boss: Boss, schema: string): Promise<void> {
  try {
    await boss.start();
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (message.includes('not installed')) {
      throw new Error(
        `There are no tables of pg-boss in the schema ${schema}: is it the database of your program, and its --schema?`,
      );
    }
    if (message.includes('requires migrations')) {
      throw new Error(
        `The tables of pg-boss in the schema ${schema} are of another version than the pg-boss installed here: use the one of your program.`,
      );
    }
    throw error;
  }
}

/** What pg-boss itself needs comes from its own command: it knows its version. */
export function postgresDdl({ schema, queues }: DdlRequest): string {
  checkSchema(schema);
  const creations = queues.map(
    (queue) => `select ${schema}.create_queue('${queue}', '{"policy":"key_strict_fifo"}'::jsonb);`,
  );
  return [
    `-- 1. The tables of pg-boss, by its own command: npx pg-boss migrate --schema ${schema}`,
    '',
    '-- 2. The one table of market-partner-sdk:',
    `${checkpointDdl(schema)};`,
    '',
    '-- 3. The queues; again for each environment, and for each name:',
    ...creations,
    '',
  ].join('\n');
}

async function listQueues(pool: Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query(
    `select name from ${schema}.queue where name like 'market-%' order by name`,
  );
  return (rows as { name: string }[]).map(({ name }) => name);
}

function checkSchema(schema: string): void {
  if (isSchemaName(schema)) return;
  throw new UsageError('"--schema" must be 1 to 50 letters, digits or underscores');
}
