// One process of a receiver that shares its store with others. It handles the deliveries that its
// parent sends it, says when its listener starts, and lets the parent decide how that ends.

import { createWebhookHandler, postgresStore, redisStore } from 'market-partner-sdk/webhooks';

const [client, address, namespace, timeoutMs] = process.argv.slice(2);

const stores = {
  'node-redis': async () => {
    const { createClient } = await import('redis');
    return redisStore(await createClient({ url: address }).connect(), { prefix: namespace });
  },
  ioredis: async () => {
    const { Redis } = await import('ioredis');
    return redisStore(new Redis(address), { prefix: namespace });
  },
  pg: async () => {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: address });
    return postgresStore(pool, { table: namespace });
  },
};

const running = new Map();
const handler = createWebhookHandler({
  secret: 'whsec_public',
  timeoutMs: Number(timeoutMs),
  onError: () => undefined,
  deduplicate: await stores[client](),
  onEvent: ({ id }) =>
    new Promise((resolve, reject) => {
      running.set(id, { resolve, reject });
      process.send({ started: id });
    }),
});

process.on('disconnect', () => process.exit());
process.on('message', async ({ deliver, finish, fail }) => {
  if (finish !== undefined) running.get(finish).resolve();
  if (fail !== undefined) running.get(fail).reject(new Error('failed'));
  if (deliver === undefined) return;
  const { status } = await handler.handle(deliver);
  process.send({ delivery: deliver.number, status });
});
process.send({ ready: true });
