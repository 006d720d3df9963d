/** The servers that the stores are tested with, on loopback, unless the environment names others. */

import { createClient } from 'redis';
import pg from 'pg';

const probeMs = 500;

/** How the servers are reached. */
export const addresses = {
  postgres: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test',
  redis: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
};

/** Whether a server answers. Where CI asks for no skips, one that does not is an error. */
export async function isReachable(server: keyof typeof addresses): Promise<boolean> {
  try {
    await (server === 'redis' ? probeRedis() : probePostgres());
    return true;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return false;
  }
}

async function probeRedis(): Promise<void> {
  const client = createClient({
    url: addresses.redis,
    socket: { connectTimeout: probeMs, reconnectStrategy: false },
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.ping();
  client.destroy();
}

async function probePostgres(): Promise<void> {
  const client = new pg.Client({
    connectionString: addresses.postgres,
    connectionTimeoutMillis: probeMs,
  });
  await client.connect();
  await client.query('select 1');
  await client.end();
}
