import { createOrderOutbox, DurableConfigurationError } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { noCallbacks } from '../support/no-callbacks.js';
import {
  describeOnPgBoss,
  newSchema,
  openBoss,
  openMarket,
  openPool,
  queueLimits,
} from '../support/on-pg-boss.js';
import type { Boss, PgClient, PgPool } from '../support/pg-boss-under-test.js';
import { postgresUrl } from '../support/servers.js';
import type { DurableQueue } from '../../../src/durable/queue/engine.js';
import { queueEngine } from '../support/open-engines.js';

/** What would have ended the process. */
let uncaught: string[];

beforeEach(() => {
  uncaught = [];
  process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error.message));
  onTestFinished(() => process.setUncaughtExceptionCaptureCallback(null));
});

describeOnPgBoss('a lost connection of pg-boss', () => {
  it('inside a transaction fails its attempt alone, and leaves the pool', async () => {
    const { boss, queue } = await open();
    const job = { id: 'only', orderingKey: 'key', body: '{}' };
    await queue.enqueue([{ ...job, createdAt: '2026-03-01T12:00:00Z' }]);
    const attempts: string[] = [];
    await queue.work(
      async ({ attempt, commit }) => {
        const ended = commit(async (client) => {
          if (attempt === 1) await terminate(boss, client);
        });
        attempts.push(await ended.then(() => 'done', String));
        return { retryInMs: 0, error: 'lost its connection' };
      },
      { concurrency: 1, signal: new AbortController().signal, untilIdle: true },
    );
    expect(attempts).toEqual([expect.stringMatching(/error/i), 'done']);
    expect(uncaught).toEqual([]);
  });

  it('to a server that was demoted leaves the pool with the first refusal', async () => {
    const { pool, queue } = await open();
    const client = await pool.connect();
    await client.query('set default_transaction_read_only = on');
    client.release();
    const job = (id: string) => ({ id, orderingKey: id, body: '{}', createdAt: '2026-03-01' });
    const write = () => undefined;
    await expect(queue.enqueue([job('a')], { write })).rejects.toMatchObject({ code: '25006' });
    expect(await queue.enqueue([job('a')], { write })).toEqual({ added: ['a'] });
  });
});

describeOnPgBoss('an engine whose boss writes elsewhere', () => {
  it.each<[string, Record<string, string>]>([
    ['a schema without tables of pg-boss', { schema: 'mp_none' }],
    ['the schema of another boss', {}],
  ])('opens no queue: it reads %s', async (_what, given) => {
    const { boss, pool } = await open();
    const other = await open();
    const options = { pool, schema: other.schema, ...given };
    const opening = queueEngine(pgBossEngine(boss, options)).open({
      name: 'orders',
      ...queueLimits,
    });
    await expect(opening).rejects.toThrow(DurableConfigurationError);
    await expect(opening).rejects.toThrow(
      `The queue orders of "boss" is not in the schema ${options.schema} of "pool"`,
    );
  });
});

describeOnPgBoss('a connection that may only read', () => {
  it('is enough for a look at a queue', async () => {
    const { schema, queue } = await open();
    await queue.enqueue([{ id: 'a', orderingKey: 'a', body: '{}', createdAt: '2026-03-01' }]);
    const readOnly = new URL(postgresUrl);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const connectionString = readOnly.href;
    const passive = { migrate: false, createSchema: false };
    const boss = await openBoss(schema, { connectionString, ...passive });
    const pool = openPool({ connectionString });
    const engine = queueEngine(pgBossEngine(boss, { pool, schema, migrate: false }));
    const look = await engine.open({ name: 'orders', ...queueLimits });
    onTestFinished(() => look.close());
    expect(await look.counts()).toMatchObject({ waiting: 1 });
  });
});

describeOnPgBoss('the pool of the shop', () => {
  it.each([1, 3])(
    'with %i clients, all of them in a payment whose add is the first use of the outbox: each is stored and placed',
    async (max) => {
      const { boss, schema } = await open();
      const pool = openPool({ max });
      await pool.query(`create table ${schema}.sale (payment text, order_id text)`);
      const world = await openMarket();
      const outbox = createOrderOutbox({
        market: world.market,
        engine: pgBossEngine(boss, { pool, schema, pollMs: 50 }),
        ...noCallbacks,
        onPlaced: ({ public_id }, { key }, { commit }) => {
          const update = `update ${schema}.sale set order_id = $1 where payment = $2`;
          return commit((client) => client.query(update, [public_id, key]));
        },
      });
      onTestFinished(() => outbox.stop({ graceMs: 0 }));
      const pay = async (index: number) => {
        const [key, domain] = [`payment-${index}`, `sale-${index}.example`];
        world.emulator.admin.list({ domain, price_cents: 100_000 });
        const client = await pool.connect();
        await client.query('begin');
        await client.query(`insert into ${schema}.sale values ($1)`, [key]);
        const order = { domain, expected_price: 100_000, currency: 'USD' };
        await outbox.add({ key, order }, { tx: client });
        await client.query('commit');
        client.release();
      };
      await Promise.all(Array.from({ length: max }, (_, index) => pay(index)));
      await outbox.drain({ maxMs: 10_000 });
      const { rows } = await pool.query(
        `select count(*)::int as placed from ${schema}.sale where order_id is not null`,
      );
      expect(rows).toEqual([{ placed: max }]);
    },
  );

  it('with one client, which the boss runs on too: the first add in a transaction says so, and the next is stored', async () => {
    const { schema } = await open();
    const pool = openPool({ max: 1 });
    const db = { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) };
    const boss = await openBoss(schema, { db, connectionString: undefined });
    const world = await openMarket();
    const engine = pgBossEngine(boss, { pool, schema });
    const outbox = createOrderOutbox({ market: world.market, engine, ...noCallbacks });
    onTestFinished(() => outbox.stop({ graceMs: 0 }));
    const order = { domain: 'sale.example', expected_price: 100_000, currency: 'USD' };
    const client = await pool.connect();
    await client.query('begin');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const adding = outbox.add({ key: 'payment', order }, { tx: client });
    const refused = expect(adding).rejects.toThrow(
      'not open after 15 s, so nothing was stored: its database does not respond. A boss that runs on the pool of your transaction waits for the client of that transaction. Roll back, add again,',
    );
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
    await refused;
    await client.query('rollback');
    client.release();
    expect(await outbox.get('payment')).toBeUndefined();
    const next = await pool.connect();
    await next.query('begin');
    await outbox.add({ key: 'payment', order }, { tx: next });
    await next.query('commit');
    next.release();
    expect(await outbox.get('payment')).toMatchObject({ key: 'payment' });
  });

  it('is refused at the start if it leads to another database', async () => {
    const { boss, schema } = await open();
    const other = new URL(postgresUrl);
    other.pathname = postgresUrl.pathname === '/postgres' ? '/template1' : '/postgres';
    const pool = openPool({ connectionString: other.href });
    const world = await openMarket();
    const engine = pgBossEngine(boss, { pool, schema });
    const outbox = createOrderOutbox({ market: world.market, engine, ...noCallbacks });
    onTestFinished(() => outbox.stop({ graceMs: 0 }));
    await expect(outbox.start()).rejects.toThrow(DurableConfigurationError);
    await expect(outbox.drain({ maxMs: 1_000 })).rejects.toThrow(
      `is not in the schema ${schema} of "pool"`,
    );
  });
});

interface Opened {
  readonly boss: Boss;
  readonly pool: PgPool;
  readonly queue: DurableQueue<PgClient>;
  readonly schema: string;
}

/** A queue whose pool has one client: a lost one that came back would be the next. */
async function open(): Promise<Opened> {
  const schema = newSchema();
  const pool = openPool({ max: 1 });
  const boss = await openBoss(schema);
  const engine = queueEngine(pgBossEngine(boss, { pool, schema, pollMs: 50 }));
  const queue = await engine.open({ name: 'orders', ...queueLimits });
  return { boss, pool, queue, schema };
}

/** Ends the client's connection as a fail-over does, and waits until the client knows. */
async function terminate(boss: Boss, client: PgClient): Promise<void> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const { pid } = rows[0] as { pid: number };
  await boss.getDb().executeSql('select pg_terminate_backend($1)', [pid]);
  await expect(client.query('select pg_sleep(60)')).rejects.toThrow();
}
