import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketClient } from 'market-partner-sdk';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../engine-kit/engine-harness.js';
import { findPackage, isReachable, redisUrl, skipReason } from '../support/servers.js';

interface BullQueue {
  add(name: string, data: object, options: object): Promise<unknown>;
  obliterate(options: { force: boolean }): Promise<void>;
  close(): Promise<void>;
}
const bullmq = findPackage('bullmq') as
  { Queue: new (name: string, options: object) => BullQueue } | undefined;

const skipped = skipReason({
  'bullmq (npm run test:engines installs it)': bullmq === undefined,
  'Redis at REDIS_URL': !(await isReachable(redisUrl)),
});

const kills = Number(process.env.RECIPE_KILLS ?? 5);
const sales = Math.max(20, kills * 3);

describe.skipIf(skipped !== undefined)(
  `the recipe on a queue of your own${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it(
      'ends every sale once and rightly, though its workers are killed',
      async () => {
        const emulator = await MarketEmulator.start();
        onTestFinished(() => emulator.stop());
        const { keyId, secret } = emulator.createCredential();
        const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
        onTestFinished(() => market.close());
        emulator.faults.on(
          ({ method }) => method === 'POST' && Math.random() < 0.2,
          fault.resetAfterWork(),
        );
        const prefix = `mp_${randomBytes(6).toString('hex')}`;
        const connection = { host: redisUrl.hostname, port: Number(redisUrl.port || 6379) };
        const queue = new bullmq!.Queue('market-sales', { connection, prefix });
        onTestFinished(async () => {
          await queue.obliterate({ force: true });
          await queue.close();
        });
        const workers = new Set<ChildProcess>();
        let output = '';
        const start = () => {
          const args = ['--import', './test/durable/support/engine-packages.mjs'];
          const child = spawn(process.execPath, [...args, 'examples/durable/bullmq/sales.mjs'], {
            env: {
              ...process.env,
              MARKET_BASE_URL: emulator.baseUrl,
              MARKET_KEY_ID: keyId,
              MARKET_SECRET: secret,
              REDIS_URL: redisUrl.href,
              BULLMQ_PREFIX: prefix,
              TAKEOVER_MS: '1000',
            },
            stdio: ['ignore', 'pipe', 'ignore'],
          });
          child.stdout.on('data', (text: Buffer) => (output += text.toString()));
          workers.add(child);
        };
        onTestFinished(() => {
          for (const worker of workers) worker.kill('SIGKILL');
        });
        for (let count = 0; count < 2; count += 1) start();

        for (let index = 0; index < sales; index += 1) {
          const domain = `recipe-${index}.example`;
          // Every fifth price is no longer what the buyer paid, and is higher.
          const price_cents = index % 5 === 0 ? 200_000 : 100_000;
          emulator.admin.list({ domain, price_cents });
          const key = `pay-${index}`;
          const input = { domain, expected_price: 100_000, external_payment_ref: key };
          const sale = { input, idempotencyKey: key, startedAt: new Date().toISOString() };
          const options = { attempts: 100, backoff: { type: 'fixed', delay: 200 } };
          await queue.add('resume', sale, { ...options, jobId: `sale-${key}` });
        }
        for (let kill = 0; kill < kills; kill += 1) {
          await sleep(300 + Math.random() * 1_200);
          const [victim] = workers;
          workers.delete(victim!);
          victim!.kill('SIGKILL');
          await once(victim!, 'exit');
          start();
        }
        /** What was printed, each line once: `placed pay-1`. */
        const printed = () => [...new Set(output.match(/^(placed|refused) pay-\d+/gm))];
        await eventually('every sale has a verdict', () => printed().length >= sales, 120_000);

        const orders = await market.orders.list().toArray();
        const references = orders.map(({ external_payment_ref: reference }) => reference);
        expect(new Set(references).size).toBe(references.length);
        const placed = printed().filter((line) => line.startsWith('placed'));
        expect(placed.sort()).toEqual(references.map((key) => `placed ${key}`).sort());
        expect(placed).toHaveLength(sales - Math.ceil(sales / 5));
        // No sale has two verdicts, however often one is printed.
        expect(printed()).toHaveLength(sales);
      },
      180_000 + kills * 3_000,
    );
  },
);
