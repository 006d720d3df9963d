import { randomBytes } from 'node:crypto';
import { createOrderOutbox, type OrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine, type PgBossAddTx } from 'market-partner-sdk/durable/pg-boss';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noCallbacks } from '../support/no-callbacks.js';
import { MarketWorld } from '../support/market-world.js';
import { pg, pgBoss, type PgClient, type PgPool } from '../support/pg-boss-under-test.js';
import { findPackage, isReachable, postgresUrl, skipReason } from '../support/servers.js';

/** What pg-boss's own adapters give. */
type Executor = Extract<PgBossAddTx<PgClient>, { executeSql: unknown }>;
type Adapter = (transaction: unknown, sql?: unknown) => Executor;
type Adapters = Readonly<Record<'fromKnex' | 'fromKysely' | 'fromDrizzle', Adapter>>;

/** Runs `work` in a transaction of a query builder, with what its adapter gives. */
type InTransaction = (work: (tx: Executor, insert: Insert) => Promise<void>) => Promise<void>;
type Insert = (id: string) => Promise<unknown>;

interface Knex {
  (options: object): Knex;
  transaction(
    work: (transaction: { raw(sql: string): Promise<unknown> }) => unknown,
  ): Promise<void>;
  destroy(): Promise<void>;
}
interface Kysely {
  transaction(): { execute(work: (transaction: unknown) => Promise<void>): Promise<void> };
  destroy(): Promise<void>;
}
interface KyselyModule {
  readonly Kysely: new (options: object) => Kysely;
  readonly PostgresDialect: new (options: object) => object;
  readonly CompiledQuery: { raw(sql: string): unknown };
}
interface Drizzle {
  transaction(
    work: (transaction: { execute(query: unknown): Promise<unknown> }) => Promise<void>,
  ): Promise<void>;
}

const knex = findPackage('knex') as { knex: Knex } | undefined;
const kysely = findPackage('kysely') as KyselyModule | undefined;
const drizzle = findPackage('drizzle-orm/node-postgres') as
  { drizzle: (options: object) => Drizzle } | undefined;
const drizzleSql = findPackage('drizzle-orm') as { sql: { raw(sql: string): unknown } } | undefined;

const skipped = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'Knex, Kysely or Drizzle (npm run test:engines installs them)':
    knex === undefined || kysely === undefined || drizzle === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

const connectionString = postgresUrl.href;
const adapters = pgBoss as unknown as Adapters;
const insertInto = (schema: string, id: string) => `insert into ${schema}.payment values ('${id}')`;

const builders: Readonly<Record<string, (schema: string, pool: PgPool) => InTransaction>> = {
  fromKnex: (schema) => {
    const database = knex!.knex({ client: 'pg', connection: connectionString });
    onTestFinished(() => database.destroy());
    return (work) =>
      database.transaction((transaction) =>
        work(adapters.fromKnex(transaction), (id) => transaction.raw(insertInto(schema, id))),
      );
  },
  fromKysely: (schema) => {
    const { Kysely, PostgresDialect, CompiledQuery } = kysely!;
    const pool = new pg!.Pool({ connectionString, max: 2 });
    // Kysely ends the pool that it was given.
    const database = new Kysely({ dialect: new PostgresDialect({ pool }) });
    onTestFinished(() => database.destroy());
    return (work) =>
      database.transaction().execute((transaction) => {
        const query = transaction as { executeQuery(query: unknown): Promise<unknown> };
        const insert: Insert = (id) =>
          query.executeQuery(CompiledQuery.raw(insertInto(schema, id)));
        return work(adapters.fromKysely(transaction), insert);
      });
  },
  fromDrizzle: (schema, pool) => {
    const { sql } = drizzleSql!;
    const database = drizzle!.drizzle({ client: pool });
    return (work) =>
      database.transaction((transaction) =>
        work(adapters.fromDrizzle(transaction, sql), (id) =>
          transaction.execute(sql.raw(insertInto(schema, id))),
        ),
      );
  },
};

async function start(builder: string) {
  const schema = `mp_${randomBytes(6).toString('hex')}`;
  const pool: PgPool = new pg!.Pool({ connectionString, max: 4 });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.query(`drop schema ${schema} cascade`);
    await pool.end();
  });
  const boss = new pgBoss!.PgBoss({ connectionString, schema, supervise: false, schedule: false });
  onTestFinished(() => boss.stop({ graceful: false }));
  await boss.start();
  await pool.query(`create table ${schema}.payment (id text primary key)`);
  const world = await MarketWorld.start();
  onTestFinished(() => world.stop());
  const engine = pgBossEngine(boss, { pool, schema, pollMs: 50 });
  const outbox = createOrderOutbox<PgClient, PgBossAddTx<PgClient>>({
    market: world.market,
    engine,
    ...noCallbacks,
  });
  onTestFinished(() => outbox.stop());
  return { world, outbox, pool, schema, inTransaction: builders[builder]!(schema, pool) };
}

/** A payment and its intent, in the caller's transaction. */
async function pay(
  world: MarketWorld,
  outbox: OrderOutbox<PgBossAddTx<PgClient>>,
  { key, tx, insert }: { key: string; tx: Executor; insert: Insert },
): Promise<void> {
  const domain = `${key}.example`;
  // A query builder must not read any of these as its own placeholder.
  const reference = `${key}: is it ? 'so' ?? :name $1`;
  const order = { domain, expected_price: 100, currency: 'USD', external_payment_ref: reference };
  world.emulator.admin.list({ domain, price_cents: 100 });
  await insert(key);
  await outbox.add({ key, order }, { tx });
}

describe.skipIf(skipped !== undefined)(
  `"tx" of pg-boss's adapters${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it.each(Object.keys(builders))('%s: committed runs, rolled back never', async (builder) => {
      const { world, outbox, pool, schema, inTransaction } = await start(builder);
      await inTransaction(async (tx, insert) => {
        await pay(world, outbox, { key: 'stays', tx, insert });
        // Nobody else sees it before the commit.
        expect(await outbox.get('stays')).toBeUndefined();
      });
      const failing = inTransaction(async (tx, insert) => {
        await pay(world, outbox, { key: 'goes', tx, insert });
        throw new Error('the shop ends here');
      });
      await expect(failing).rejects.toThrow('the shop ends here');

      expect(await outbox.drain({ maxMs: 10_000 })).toMatchObject({ placed: 1, left: 0 });
      expect(await outbox.get('stays')).toMatchObject({ state: 'placed' });
      expect(await outbox.get('goes')).toBeUndefined();
      const orders = await world.market.orders.list().toArray();
      expect(orders.map(({ domain }) => domain)).toEqual(['stays.example']);
      const { rows } = await pool.query(`select id from ${schema}.payment`);
      expect(rows).toEqual([{ id: 'stays' }]);
    });
  },
);
