import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOrderOutbox, type OrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine, type PgBossAddTx } from 'market-partner-sdk/durable/pg-boss';
import { expect, it, onTestFinished } from 'vitest';
import { noCallbacks } from '../support/no-callbacks.js';
import type { MarketWorld } from '../support/market-world.js';
import {
  describeOnPgBoss,
  newSchema,
  openBoss,
  openMarket,
  openPool,
} from '../support/on-pg-boss.js';
import { pg, pgBoss, type PgClient, type PgPool } from '../support/pg-boss-under-test.js';
import { findPackage, postgresUrl } from '../support/servers.js';

/** What pg-boss's own adapters give. */
type Executor = Extract<PgBossAddTx<PgClient>, { executeSql: unknown }>;
type Adapter = (transaction: unknown, sql?: unknown) => Executor;
type Adapters = Readonly<Record<'fromKnex' | 'fromKysely' | 'fromDrizzle' | 'fromPrisma', Adapter>>;

/** Runs `work` in a transaction of a library: with what the guide passes as "tx", and with the library's own object. */
type InTransaction = (
  work: (tx: Executor, insert: Insert, raw: unknown) => Promise<void>,
) => Promise<unknown>;
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
interface Prisma {
  $transaction(
    work: (transaction: { $executeRawUnsafe(sql: string): Promise<unknown> }) => Promise<void>,
  ): Promise<void>;
  $disconnect(): Promise<void>;
}
interface TypeOrm {
  initialize(): Promise<unknown>;
  transaction(
    work: (manager: { query(text: string, values?: unknown[]): Promise<unknown[]> }) => unknown,
  ): Promise<unknown>;
  destroy(): Promise<void>;
}
interface Sequelize {
  query(text: string, options: object): Promise<unknown[]>;
  transaction(work: (transaction: object) => Promise<void>): Promise<unknown>;
  close(): Promise<void>;
}

const knex = findPackage('knex') as { knex: Knex } | undefined;
const kysely = findPackage('kysely') as KyselyModule | undefined;
const drizzle = findPackage('drizzle-orm/node-postgres') as
  { drizzle: (options: object) => Drizzle } | undefined;
const drizzleSql = findPackage('drizzle-orm') as { sql: { raw(sql: string): unknown } } | undefined;
const prismaPg = findPackage('@prisma/adapter-pg') as
  { PrismaPg: new (options: object) => object } | undefined;
const typeorm = findPackage('typeorm') as
  { DataSource: new (options: object) => TypeOrm } | undefined;
const sequelize = findPackage('sequelize') as
  { Sequelize: new (url: string, options: object) => Sequelize } | undefined;

const libraries = { knex, kysely, drizzle, prismaPg, typeorm, sequelize };
const connectionString = postgresUrl.href;
const adapters = pgBoss as unknown as Adapters;
const insertInto = (schema: string, id: string) => `insert into ${schema}.payment values ('${id}')`;

/** Prisma's client is generated from a schema. */
function generatePrisma(): new (options: object) => Prisma {
  const folder = mkdtempSync(join(tmpdir(), 'market-prisma-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const modules = fileURLToPath(new URL('node_modules', import.meta.url));
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'schema.prisma'),
    `generator client {\n provider = "prisma-client-js"\n output = "./client"\n}
    datasource db {\n provider = "postgresql"\n}
    model Payment {\n id String @id\n}`,
  );
  const command = [join(modules, 'prisma/build/index.js'), 'generate', '--schema', 'schema.prisma'];
  // Migrations alone need the engine that it would download.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  execFileSync(process.execPath, command, { cwd: folder, env, stdio: 'pipe' });
  const generated = createRequire(join(folder, 'schema.prisma'))('./client') as {
    PrismaClient: new (options: object) => Prisma;
  };
  return generated.PrismaClient;
}

const builders: Readonly<
  Record<string, (schema: string, pool: PgPool) => InTransaction | Promise<InTransaction>>
> = {
  Knex: (schema) => {
    const database = knex!.knex({ client: 'pg', connection: connectionString });
    onTestFinished(() => database.destroy());
    return (work) =>
      database.transaction((t) =>
        work(adapters.fromKnex(t), (id) => t.raw(insertInto(schema, id)), t),
      );
  },
  Kysely: (schema) => {
    const { Kysely, PostgresDialect, CompiledQuery } = kysely!;
    const pool = new pg!.Pool({ connectionString, max: 2 });
    // Kysely ends the pool that it was given.
    const database = new Kysely({ dialect: new PostgresDialect({ pool }) });
    onTestFinished(() => database.destroy());
    return (work) =>
      database.transaction().execute((t) => {
        const query = t as { executeQuery(query: unknown): Promise<unknown> };
        const insert: Insert = (id) =>
          query.executeQuery(CompiledQuery.raw(insertInto(schema, id)));
        return work(adapters.fromKysely(t), insert, t);
      });
  },
  Drizzle: (schema, pool) => {
    const { sql } = drizzleSql!;
    const database = drizzle!.drizzle({ client: pool });
    return (work) =>
      database.transaction((t) =>
        work(adapters.fromDrizzle(t, sql), (id) => t.execute(sql.raw(insertInto(schema, id))), t),
      );
  },
  Prisma: (schema) => {
    const PrismaClient = generatePrisma();
    const prisma = new PrismaClient({ adapter: new prismaPg!.PrismaPg({ connectionString }) });
    onTestFinished(() => prisma.$disconnect());
    return (work) =>
      prisma.$transaction((t) =>
        work(adapters.fromPrisma(t), (id) => t.$executeRawUnsafe(insertInto(schema, id)), t),
      );
  },
  TypeORM: async (schema) => {
    const database = new typeorm!.DataSource({ type: 'postgres', url: connectionString });
    await database.initialize();
    onTestFinished(() => database.destroy());
    return (work) =>
      database.transaction((t) => {
        const executeSql: Executor['executeSql'] = async (text, values) => ({
          rows: await t.query(text, values),
        });
        return work({ executeSql }, (id) => t.query(insertInto(schema, id)), t);
      });
  },
  Sequelize: (schema) => {
    const database = new sequelize!.Sequelize(connectionString, { logging: false });
    onTestFinished(() => database.close());
    return (work) =>
      database.transaction((transaction) => {
        const executeSql: Executor['executeSql'] = async (text, bind) => ({
          rows: await database.query(text, { bind, transaction, type: 'SELECT' }),
        });
        const insert: Insert = (id) => database.query(insertInto(schema, id), { transaction });
        return work({ executeSql }, insert, transaction);
      });
  },
};

const none = () => Promise.resolve(undefined);

async function start(builder: string) {
  const schema = newSchema();
  const pool = openPool({ max: 4 });
  const boss = await openBoss(schema);
  await pool.query(`create table ${schema}.payment (id text primary key)`);
  const world = await openMarket();
  const engine = pgBossEngine(boss, { pool, schema, pollMs: 50 });
  const outbox = createOrderOutbox<PgClient, PgBossAddTx<PgClient>>({
    market: world.market,
    engine,
    ...noCallbacks,
  });
  onTestFinished(() => outbox.stop());
  return { world, outbox, pool, schema, inTransaction: await builders[builder]!(schema, pool) };
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

describeOnPgBoss(
  `"tx" of pg-boss's adapters`,
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

    it.each(Object.keys(builders))(
      '%s: a second order under one key is refused',
      async (builder) => {
        const { world, outbox, pool, schema, inTransaction } = await start(builder);
        const failing = inTransaction(async (tx, insert) => {
          await pay(world, outbox, { key: 'twice', tx, insert });
          const order = { domain: 'other.example', expected_price: 100, currency: 'USD' };
          world.emulator.admin.list({ domain: order.domain, price_cents: 100 });
          await outbox.add({ key: 'twice', order }, { tx });
        });
        await expect(failing).rejects.toThrow('a sale "twice" with another order');
        expect(await outbox.get('twice')).toBeUndefined();
        expect((await pool.query(`select id from ${schema}.payment`)).rows).toEqual([]);

        await inTransaction(async (tx, insert) => {
          await pay(world, outbox, { key: 'again', tx, insert });
          const { domain } = { domain: 'again.example' };
          const reference = "again: is it ? 'so' ?? :name $1";
          const order = { domain, expected_price: 100, currency: 'USD' };
          const same = { ...order, external_payment_ref: reference };
          expect(await outbox.add({ key: 'again', order: same }, { tx })).toEqual({ added: false });
        });
        expect(await outbox.drain({ maxMs: 10_000 })).toMatchObject({ placed: 1, left: 0 });
      },
    );

    it.each(Object.keys(builders))('%s: its own object is refused by name', async (builder) => {
      const { world, outbox, inTransaction } = await start(builder);
      const failing = inTransaction(async (_tx, insert, raw) => {
        await pay(world, outbox, { key: 'raw', tx: raw as never, insert });
      });
      await expect(failing).rejects.toThrow(`"tx" is a transaction of ${builder}, which`);
      expect(await outbox.get('raw')).toBeUndefined();
    });

    it.each<[string, string, object]>([
      ['MikroORM', 'fromKysely(tx.getTransactionContext())', { getTransactionContext: none }],
      ['pg-promise', 'await tx.query(text, values)', { oneOrNone: none, query: none }],
      ['Slonik', '...sql.unsafe``', { maybeOne: none, query: none }],
    ])('an object of %s is refused by name', async (library, executor, tx) => {
      const { world, outbox } = await start('Knex');
      const paid = pay(world, outbox, { key: 'raw', tx: tx as never, insert: () => none() });
      await expect(paid).rejects.toThrow(`"tx" is a transaction of ${library}, which`);
      await expect(paid).rejects.toThrow(executor);
    });

    it('what gives rows without { rows } is refused before it stores anything', async () => {
      const { world, outbox, pool } = await start('Knex');
      const client = await pool.connect();
      onTestFinished(() => client.release());
      await client.query('begin');
      const executeSql = async (text: string, values?: unknown[]) =>
        (await client.query(text, values)).rows as never;
      const paid = pay(world, outbox, { key: 'bare', tx: { executeSql }, insert: () => none() });
      await expect(paid).rejects.toThrow('the SQL of "tx" must resolve with { rows }');
      await client.query('rollback');
    });

    it('leaves no savepoint: of many adds in one transaction, none is nested in another', async () => {
      const { world, outbox, pool } = await start('Knex');
      const client = await pool.connect();
      onTestFinished(() => client.release());
      const executeSql: Executor['executeSql'] = (text, values) => client.query(text, values);
      await client.query('begin');
      await pay(world, outbox, { key: 'one', tx: { executeSql }, insert: () => none() });
      const leftover = client.query('rollback to savepoint market_add');
      await expect(leftover).rejects.toMatchObject({ code: '3B001' });
      await client.query('rollback');
    });
  },
  {
    'Knex, Kysely, Drizzle, Prisma, TypeORM or Sequelize (npm run test:engines installs them)':
      Object.values(libraries).includes(undefined),
  },
);
