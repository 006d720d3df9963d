/** A payment and its intent on SQLite, written through a library: both are stored, or neither. */

import { setTimeout as sleep } from 'node:timers/promises';
import { createOrderOutbox, sqliteEngine, type SqliteDatabase } from 'market-partner-sdk/durable';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBetterSqlite } from './support/find-sqlite.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import { findPackage, skipReason } from './support/servers.js';
import { temporaryDatabases } from './support/temporary-databases.js';

interface DrizzleQuery {
  run(): unknown;
}
interface Drizzle {
  insert(table: object): { values(row: object): DrizzleQuery };
  transaction(work: (transaction: Drizzle) => unknown): unknown;
}
interface DrizzleTables {
  sqliteTable(name: string, columns: object): object;
  text(name: string): { primaryKey(): object };
}
interface KyselyQuery {
  execute(): Promise<unknown>;
}
interface Kysely {
  insertInto(table: string): { values(row: object): KyselyQuery };
  transaction(): { execute(work: (transaction: Kysely) => Promise<void>): Promise<void> };
}
interface KyselyModule {
  readonly Kysely: new (options: object) => Kysely;
  readonly SqliteDialect: new (options: object) => object;
}

const drizzle = findPackage('drizzle-orm/better-sqlite3') as
  { drizzle: (options: object) => Drizzle } | undefined;
const tables = findPackage('drizzle-orm/sqlite-core') as DrizzleTables | undefined;
const kysely = findPackage('kysely') as KyselyModule | undefined;
const knex = findPackage('knex') as
  | ((options: object) => (table: string) => { insert(row: object): PromiseLike<unknown> })
  | undefined;
const openDatabase = findBetterSqlite();
const databases = temporaryDatabases(openDatabase);

const skipped = skipReason({
  'Drizzle, Kysely or Knex (npm run test:engines installs them)':
    drizzle === undefined || tables === undefined || kysely === undefined || knex === undefined,
});

const world = useOutboxWorld();

/** @param onPlaced - gets the database of the shop. */
function shop(onPlaced: (pay: (key: string) => unknown) => unknown = () => undefined) {
  const database = databases.open();
  database.exec('create table payment (id text primary key)');
  const payment = tables!.sqliteTable('payment', { id: tables!.text('id').primaryKey() });
  const byDrizzle = drizzle!.drizzle({ client: database });
  const insert = (id: string, on = byDrizzle) => on.insert(payment).values({ id });
  const byKysely = new kysely!.Kysely({ dialect: new kysely!.SqliteDialect({ database }) });
  const { reported, time } = world;
  const outbox = createOrderOutbox<SqliteDatabase, SqliteDatabase>({
    market: world.client(),
    engine: sqliteEngine(database, time.options),
    random: () => 0.5,
    logger: false,
    ...time.options,
    onPlaced: async (_order, { key }, { commit }) => {
      await commit(() => onPlaced((id) => insert(`${id} of ${key}`)));
    },
    onRefused: ({ reason }, { key }) => reported.push(`${key} refused ${reason}`),
    onAttention: ({ reason }, { key }) => reported.push(`${key} attention ${reason}`),
  });
  onTestFinished(() => outbox.stop({ graceMs: 0 }));
  const payments = () => {
    const rows = database.prepare('select id from payment order by id').all();
    return (rows as { id: string }[]).map(({ id }) => id);
  };
  return { database, byDrizzle, byKysely, insert, outbox, payments };
}

/** Long enough for whatever a query of a promise would still do. */
const settled = () => sleep(20);

describe.skipIf(openDatabase === undefined || skipped !== undefined)('Drizzle on SQLite', () => {
  it('write: committed with the intent, rolled back with it', async () => {
    const { insert, outbox, payments } = shop();
    await outbox.add(intent('pay-1'), { write: () => insert('pay-1').run() });
    const failing = outbox.add(intent('pay-2'), {
      write: () => {
        insert('pay-2').run();
        throw new Error('card declined');
      },
    });
    await expect(failing).rejects.toThrow('card declined');
    expect(payments()).toEqual(['pay-1']);
    expect(await outbox.get('pay-2')).toBeUndefined();
    await world.drainFor(outbox, 1);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
  });

  it('write: refuses a query that was not run, and never runs it', async () => {
    const { insert, outbox, payments } = shop();
    const query = outbox.add(intent('pay-1'), { write: () => insert('pay-1') });
    await expect(query).rejects.toThrow(
      'a query that was not run. Nothing was stored. End it with .run().',
    );
    const several = outbox.add(intent('pay-2'), { write: () => [insert('pay-2')] });
    await expect(several).rejects.toThrow('a query that was not run');
    await settled();
    expect(payments()).toEqual([]);
    expect(await outbox.get('pay-1')).toBeUndefined();
    expect(await outbox.get('pay-2')).toBeUndefined();
  });

  it('write: says where to write what belongs in another database', async () => {
    const { outbox } = shop();
    const byKnex = knex!({ client: 'mysql2' });
    const writes = [
      () => byKnex('payment').insert({ id: 'pay-1' }),
      // As a pool of mysql2 does.
      () => Promise.resolve([{ affectedRows: 1 }]),
    ];
    for (const write of writes) {
      await expect(outbox.add(intent('pay-1'), { write })).rejects.toThrow(
        "If that database is not the engine's, write to it before add(), or in the callback without commit().",
      );
    }
    expect(await outbox.get('pay-1')).toBeUndefined();
  });

  it('commit: a query that was not run takes no effect, in whatever number of attempts', async () => {
    const { outbox, payments } = shop((pay) => pay('paid'));
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 5);
    await settled();
    expect(payments()).toEqual([]);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
    expect(await outbox.status()).toMatchObject({ unreported: 1 });
  });

  it('addSync in its transaction: committed, rolled back, and a second order is a conflict', async () => {
    const { database, byDrizzle, insert, outbox, payments } = shop();
    const pay = (key: string, payment: string, domain: string) =>
      byDrizzle.transaction((transaction) => {
        insert(payment, transaction).run();
        outbox.addSync(intent(key, { domain }), { tx: database });
      });
    pay('pay-1', 'first', 'brew.example');
    expect(() => pay('pay-1', 'second', 'tea.example')).toThrow('already knows the key "pay-1"');
    expect(payments()).toEqual(['first']);
    await world.drainFor(outbox, 1);
    expect((await world.orders()).map(({ domain }) => domain)).toEqual(['brew.example']);
  });
});

describe.skipIf(openDatabase === undefined || skipped !== undefined)('Kysely on SQLite', () => {
  it('add in its transaction: committed, rolled back, and a second order is a conflict', async () => {
    const { database, byKysely, outbox, payments } = shop();
    const pay = (id: string, domains: readonly string[]) =>
      byKysely.transaction().execute(async (transaction) => {
        await transaction.insertInto('payment').values({ id }).execute();
        for (const domain of domains) {
          await outbox.add(intent(id, { domain }), { tx: database });
        }
      });
    await pay('pay-1', ['brew.example']);
    const twice = pay('pay-2', ['brew.example', 'tea.example']);
    await expect(twice).rejects.toThrow('a sale "pay-2" with another order');
    expect(payments()).toEqual(['pay-1']);
    expect(await outbox.get('pay-2')).toBeUndefined();
    await world.drainFor(outbox, 1);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
  });

  it('write: refuses a query that was not executed, and an async function without a call', async () => {
    const { byKysely, outbox, payments } = shop();
    const query = (id: string) => byKysely.insertInto('payment').values({ id });
    const unrun = outbox.add(intent('pay-1'), { write: () => query('pay-1') });
    await expect(unrun).rejects.toThrow('a query that was not run');
    const asynchronous = outbox.add(intent('pay-2'), {
      write: async () => {
        await query('pay-2').execute();
      },
    });
    await expect(asynchronous).rejects.toThrow('it was not called. Nothing was stored.');
    await settled();
    expect(payments()).toEqual([]);
    expect(await outbox.get('pay-1')).toBeUndefined();
    expect(await outbox.get('pay-2')).toBeUndefined();
  });
});
