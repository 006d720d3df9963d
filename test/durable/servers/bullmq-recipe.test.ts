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
  getJobCounts(...states: string[]): Promise<Record<string, number>>;
  obliterate(options: { force: boolean }): Promise<void>;
  close(): Promise<void>;
}
interface RedisClient {
  del(...keys: string[]): Promise<unknown>;
  hgetall(key: string): Promise<Record<string, string>>;
  quit(): Promise<unknown>;
}
const bullmq = findPackage('bullmq') as
  { Queue: new (name: string, options: object) => BullQueue } | undefined;
const ioredis = findPackage('ioredis') as { Redis: new (url: string) => RedisClient } | undefined;

const skipped = skipReason({
  'bullmq (npm run test:engines installs it)': bullmq === undefined,
  'Redis at REDIS_URL': !(await isReachable(redisUrl)),
});

const kills = Number(process.env.RECIPE_KILLS ?? 5);
const sales = Math.max(20, kills * 3);
const timeoutMs = 180_000 + kills * 3_000;

describe.skipIf(skipped !== undefined)(
  `the recipes on a queue of your own${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it(
      'ends every sale once and rightly, though its workers are killed',
      async () => {
        const { emulator, market, queue, processes } = await open('sales.mjs', 'market-sales');
        emulator.faults.on(
          ({ method }) => method === 'POST' && Math.random() < 0.2,
          fault.resetAfterWork(),
        );
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
        for (let kill = 0; kill < kills; kill += 1) await processes.killOne();
        /** What was printed, each line once: `placed pay-1`. */
        const printed = () => [...new Set(processes.output.match(/^(placed|refused) pay-\d+/gm))];
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
      timeoutMs,
    );

    it(
      'stores the last status of every order, though its workers are killed and jobs run in any order',
      async () => {
        const { emulator, market, queue, prefix, processes } = await open(
          'events.mjs',
          'market-events',
        );
        emulator.faults.on(
          ({ method }) => method === 'GET' && Math.random() < 0.1,
          fault.resetAfterWork(),
        );
        const steps = ['startTransfer', 'completeTransfer'] as const;
        const selling = async () => {
          for (let index = 0; index < sales; index += 1) {
            const domain = `recipe-${index}.example`;
            emulator.admin.list({ domain, price_cents: 100_000 });
            const { public_id: id } = await market.orders.create({
              domain,
              expected_price: 100_000,
            });
            // Some are delivered, some are refunded, some are under way.
            for (const step of steps.slice(0, index % 3)) emulator.admin[step](id);
            if (index % 3 === 1) emulator.admin.refund(id);
            await sleep((kills * 900) / sales);
          }
        };
        const killing = async () => {
          for (let kill = 0; kill < kills; kill += 1) await processes.killOne();
        };
        await Promise.all([selling(), killing()]);
        emulator.faults.clear();

        const events = await market.events.list().toArray();
        expect(events.length).toBeGreaterThan(sales * 1.5);
        const orders = await market.orders.list().toArray();
        const shown = Object.fromEntries(
          orders.map(({ public_id, status }) => [public_id, status]),
        );
        const redis = new ioredis!.Redis(redisUrl.href);
        onTestFinished(async () => {
          await redis.del(`${prefix}:example-statuses`, `${prefix}:example-checkpoint`);
          await redis.quit();
        });
        const isSettled = async () => {
          const { completed = 0 } = await queue.getJobCounts('completed');
          return completed >= events.length;
        };
        await eventually('every job has ended', isSettled, 120_000);
        expect(await redis.hgetall(`${prefix}:example-statuses`)).toEqual(shown);
        // One job for each event, however often a page came.
        const counts = await queue.getJobCounts(
          'completed',
          'failed',
          'waiting',
          'delayed',
          'active',
        );
        const none = { failed: 0, waiting: 0, delayed: 0, active: 0 };
        expect(counts).toEqual({ completed: events.length, ...none });
      },
      timeoutMs,
    );
  },
);

/** A partner's queue, and two processes that run a program of examples/durable/bullmq. */
async function open(program: string, queueName: string) {
  const emulator = await MarketEmulator.start();
  onTestFinished(() => emulator.stop());
  const { keyId, secret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  onTestFinished(() => market.close());
  const prefix = `mp_${randomBytes(6).toString('hex')}`;
  const connection = { host: redisUrl.hostname, port: Number(redisUrl.port || 6379) };
  const queue = new bullmq!.Queue(queueName, { connection, prefix });
  onTestFinished(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
  });
  const processes = new Processes(program, {
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
    REDIS_URL: redisUrl.href,
    BULLMQ_PREFIX: prefix,
    TAKEOVER_MS: '1000',
    POLL_MS: '300',
    PORT: '0',
  });
  onTestFinished(() => processes.end());
  return { emulator, market, queue, prefix, processes };
}

class Processes {
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();
  output = '';

  constructor(program: string, env: NodeJS.ProcessEnv) {
    this.#program = program;
    this.#env = env;
    for (let count = 0; count < 2; count += 1) this.#start();
  }

  /** Kills the one that has run longest, and starts another. */
  async killOne(): Promise<void> {
    await sleep(300 + Math.random() * 1_200);
    const [victim] = this.#running;
    this.#running.delete(victim!);
    victim!.kill('SIGKILL');
    await once(victim!, 'exit');
    this.#start();
  }

  end(): void {
    for (const each of this.#running) each.kill('SIGKILL');
  }

  #start(): void {
    const args = ['--import', './test/durable/support/engine-packages.mjs'];
    const child = spawn(process.execPath, [...args, `examples/durable/bullmq/${this.#program}`], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.on('data', (text: Buffer) => (this.output += text.toString()));
    this.#running.add(child);
  }
}
