import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { pg, pgBoss } from '../support/pg-boss-under-test.js';
import { isReachable, postgresUrl, skipReason } from '../support/servers.js';

const skipped = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

/** Runs a program that imports a package of test/durable/servers, and gives its lines. */
async function run(file: string): Promise<string[]> {
  const args = ['--import', './test/durable/support/engine-packages.mjs', file];
  const env = { ...process.env, DATABASE_URL: postgresUrl.href };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim().split('\n');
}

describe.skipIf(skipped !== undefined)(
  `the examples on PostgreSQL${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it('postgres-transaction stores payment and intent together, or neither', async () => {
      expect(await run('examples/durable/postgres-transaction.mjs')).toEqual([
        'payment-3 is rolled back: the shop ends here',
        'placed: 1, refused: 1, left: 0',
        'orders at the service: brew.example',
        'payment-1 has its order',
        'payment-2 is paid back: price_mismatch',
      ]);
    }, 60_000);

    it('the routes of Next.js store, place, report and handle within their requests', async () => {
      const none = { handled: 0, failed: 0, dead: 0, left: 0 };
      const idle = { placed: 0, refused: 0, refunded: 0, notRefunded: 0, attention: 0, left: 0 };
      const events = { ...none, handled: 1 };
      expect(await run('test/durable/support/run-nextjs-example.mjs')).toEqual([
        'without a secret: 401',
        'with another secret: 401',
        'quote without a token: 401',
        'quote: {"checkout":"checkout-1","domain":"brew.example","price":86000,"currency":"USD"}',
        'payment without a signature: 401',
        'payment with a forged one: 401',
        'payment of 2 MB: 413',
        'quote of 2 MB: 413',
        'payment: 200 {"added":true}',
        'payment with {"checkout":"none"} 200 {"added":false}',
        'payment with {"amount":85999} 200 {"added":false}',
        'payment with {"currency":"EUR"} 200 {"added":false}',
        'payment with {"payment":null} 400 ',
        'payment-1 is placed: brew.example',
        `cron: ${JSON.stringify({ orders: { ...idle, placed: 1 }, events: none })}`,
        'stored: true',
        'forged webhook: 401',
        'webhook: 200',
        'order.transfer_completed: brew.example',
        `cron: ${JSON.stringify({ orders: idle, events })}`,
        'order.refunded: brew.example',
        `cron: ${JSON.stringify({ orders: idle, events })}`,
        'sales without a token: 401',
        "pay back: [ [ 'payment-2', 'not_as_quoted' ], [ 'payment-1', 'order.refunded' ] ]",
      ]);
    }, 60_000);
  },
);
