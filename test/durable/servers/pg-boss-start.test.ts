import { createOrderOutbox, DurableConfigurationError } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { expect, it, onTestFinished } from 'vitest';
import { job } from '../engine-kit/engine-harness.js';
import { noCallbacks } from '../support/no-callbacks.js';
import { queueEngine } from '../support/open-engines.js';
import {
  describeOnPgBoss,
  newSchema,
  openBoss,
  openMarket,
  openPool,
  queueLimits,
} from '../support/on-pg-boss.js';
import { pgBoss, tooOldPgBoss } from '../support/pg-boss-under-test.js';
import { postgresUrl } from '../support/servers.js';

describeOnPgBoss(
  'the start on pg-boss',
  () => {
    it('is refused with a pg-boss whose results no claim can end, and no order is sent', async () => {
      const { pool, schema, boss } = await open({ bossModule: tooOldPgBoss });
      const world = await openMarket();
      world.emulator.admin.list({ domain: 'sale.example', price_cents: 100_000 });
      const engine = pgBossEngine(boss, { pool, schema });
      const outbox = createOrderOutbox({ market: world.market, engine, ...noCallbacks });
      onTestFinished(() => outbox.stop({ graceMs: 0 }));
      const order = { domain: 'sale.example', expected_price: 100_000, currency: 'USD' };
      await outbox.add({ key: 'payment', order });
      await expect(outbox.start()).rejects.toThrow(DurableConfigurationError);
      await expect(outbox.drain({ maxMs: 1_000 })).rejects.toThrow(
        'The pg-boss of your program is older than 12.35',
      );
      expect(world.emulator.requests).toEqual([]);
    });

    it('is refused with a queue of another policy, by its name', async () => {
      const { pool, schema, boss } = await open();
      await boss.createQueue('orders', {});
      const opening = queueEngine(pgBossEngine(boss, { pool, schema })).open({
        name: 'orders',
        ...queueLimits,
      });
      await expect(opening).rejects.toThrow(DurableConfigurationError);
      await expect(opening).rejects.toThrow(
        'The queue orders has the policy "standard" of pg-boss, under which the events of one sale run at the same time',
      );
    });

    it('works for programs that start at once where SERIALIZABLE is the default', async () => {
      const schema = newSchema();
      const url = new URL(postgresUrl);
      url.searchParams.set('options', '-c default_transaction_isolation=serializable');
      const queues = await Promise.all(
        Array.from({ length: 6 }, () =>
          queueEngine(pgBossEngine({ connectionString: url.href, schema, maxConnections: 3 })).open(
            { name: 'orders', ...queueLimits },
          ),
        ),
      );
      const added = await Promise.all(
        queues.map((queue, at) => queue.enqueue([job(`j${at}`, 'k')])),
      );
      expect(added.flatMap((each) => each.added)).toHaveLength(queues.length);
      await Promise.all(queues.map((queue) => queue.close()));
    }, 60_000);

    it.each(['SQL, DMY', 'Postgres, MDY', 'German'])(
      'works with the DateStyle %s: pages, times and ends',
      async (style) => {
        const { pool, schema, boss } = await open({ style });
        const queue = await queueEngine(pgBossEngine(boss, { pool, schema })).open({
          name: 'orders',
          ...queueLimits,
        });
        await queue.check?.();
        const before = Date.now();
        const ids = ['a', 'b', 'c', 'd', 'e'];
        await queue.enqueue(ids.map((id) => job(id, 'key')));
        const first = await queue.list('waiting', { limit: 2 });
        const rest = await queue.list('waiting', { limit: 9, cursor: first.nextCursor ?? '' });
        expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids);
        const ages: number[] = [];
        await queue.work(
          ({ enqueuedAt }) => {
            ages.push(Math.abs(enqueuedAt.getTime() - before));
            return Promise.resolve({ done: undefined });
          },
          { concurrency: 2, signal: new AbortController().signal, untilIdle: true },
        );
        expect(ages).toHaveLength(ids.length);
        expect(Math.max(...ages)).toBeLessThan(60_000);
      },
    );
  },
  { 'an older pg-boss (npm run test:engines installs it)': tooOldPgBoss === undefined },
);

describeOnPgBoss('the connections of an engine', () => {
  it('are no more than maxConnections, and enough for forty sales at once', async () => {
    const schema = newSchema();
    const url = new URL(postgresUrl);
    url.searchParams.set('application_name', schema);
    const engine = pgBossEngine({ connectionString: url.href, schema, maxConnections: 5 });
    const world = await openMarket();
    const placed: string[] = [];
    const outbox = createOrderOutbox({
      market: world.market,
      engine,
      ...noCallbacks,
      onPlaced: (_order, { key }) => void placed.push(key),
    });
    const pool = openPool();
    const most: number[] = [];
    const count = async () => {
      const select = 'select count(*)::int as n from pg_stat_activity where application_name = $1';
      const { rows } = await pool.query(select, [schema]);
      most.push((rows[0] as { n: number }).n);
    };
    const keys = Array.from({ length: 40 }, (_, at) => `payment-${at}`);
    await outbox.start();
    await Promise.all(
      keys.map(async (key) => {
        const domain = `${key}.example`;
        world.emulator.admin.list({ domain, price_cents: 100_000 });
        await outbox.add({ key, order: { domain, expected_price: 100_000, currency: 'USD' } });
        await count();
      }),
    );
    await outbox.drain({ maxMs: 20_000 });
    await count();
    await outbox.stop({ graceMs: 1_000 });
    expect(placed.sort()).toEqual(keys.sort());
    expect(Math.max(...most)).toBeLessThanOrEqual(5);
    expect(Math.max(...most)).toBeGreaterThan(2);
  }, 60_000);
});

describeOnPgBoss('a page of a queue', () => {
  it('reads blocks in proportion to itself, not to the queue', async () => {
    const { pool, schema, boss } = await open();
    const statements: { text: string; values: unknown[] }[] = [];
    const db = boss.getDb();
    const executeSql = db.executeSql.bind(db);
    db.executeSql = (text, values = []) => {
      statements.push({ text, values });
      return executeSql(text, values);
    };
    const queue = await queueEngine(pgBossEngine(boss, { pool, schema })).open({
      name: 'orders',
      ...queueLimits,
    });
    /** For each kind of page, in the middle of the queue. */
    const readBlocks = async () => {
      const blocks: number[] = [];
      for (const state of ['done', 'waiting', 'dead', 'open'] as const) {
        const first = await queue.list(state, { limit: 50 });
        statements.splice(0);
        const page = await queue.list(state, { limit: 50, cursor: first.nextCursor ?? undefined });
        expect(page.items.length).toBeGreaterThan(0);
        const [{ text, values }] = statements as [(typeof statements)[0]];
        const { rows } = await pool.query(
          `explain (analyze, buffers, format json) ${text}`,
          values,
        );
        const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: Record<string, number> }] })[
          'QUERY PLAN'
        ];
        blocks.push((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0));
      }
      return blocks;
    };
    const add = async (from: number, to: number) => {
      const jobs = Array.from({ length: to - from }, (_, at) =>
        job(`j${from + at}`, `k${from + at}`),
      );
      await queue.enqueue(jobs);
      // Of eight, six are done and one is a dead letter.
      const states = `case when place % 8 < 6 then 'completed' when place % 8 = 6 then 'failed' else 'created' end`;
      await pool.query(
        `update ${schema}.job j set state = (${states})::${schema}.job_state, started_on = now(), completed_on = now()
         from (select id as row, row_number() over (order by created_on, id) as place from ${schema}.job where state = 'created') o
         where j.id = o.row`,
      );
      await pool.query(`vacuum analyze ${schema}.job`);
    };
    await add(0, 2_000);
    const small = await readBlocks();
    await add(2_000, 16_000);
    const large = await readBlocks();
    for (const [at, blocks] of large.entries()) {
      expect(blocks).toBeLessThanOrEqual(2 * (small[at] ?? 0) + 20);
    }
  }, 120_000);
});

async function open({ bossModule = pgBoss, style = 'ISO, MDY' } = {}) {
  const url = new URL(postgresUrl);
  url.searchParams.set('options', `-c datestyle=${style.replaceAll(' ', '\\ ')}`);
  const connectionString = url.href;
  const schema = newSchema();
  const pool = openPool({ connectionString });
  return { boss: await openBoss(schema, { connectionString }, bossModule), pool, schema };
}
