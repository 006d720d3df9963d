/** A payment and its intent on SQLite: both are stored, or neither. */

import {
  createOrderOutbox,
  memoryEngine,
  sqliteEngine,
  type OrderOutboxOptions,
  type SqliteDatabase,
} from 'market-partner-sdk/durable';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBetterSqlite } from './support/find-sqlite.js';
import { noCallbacks } from './support/no-callbacks.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const open = findBetterSqlite();
const databases = temporaryDatabases(open);

/** `transaction` of better-sqlite3, which takes a synchronous function. */
type Database = SqliteDatabase & { transaction(run: () => unknown): () => unknown };

const world = useOutboxWorld();

type ShopOptions = OrderOutboxOptions<SqliteDatabase>;

function shop(options: Partial<Pick<ShopOptions, 'market' | 'environment' | 'onPlaced'>> = {}) {
  const database = databases.open() as Database;
  database.exec('create table payment (id text primary key)');
  const outbox = createOrderOutbox({
    ...noCallbacks,
    market: world.client(),
    ...options,
    ...world.time.options,
    engine: sqliteEngine(database, world.time.options),
  });
  onTestFinished(() => outbox.stop({ graceMs: 0 }));
  const insert = (key: string) => database.prepare('insert into payment values (?)').run(key);
  const payments = () =>
    (database.prepare('select id from payment order by id').all() as { id: string }[]).map(
      ({ id }) => id,
    );
  const intents = async () =>
    (await outbox.list({ state: 'waiting' })).map(({ key }) => key).sort();
  return { database, outbox, insert, payments, intents };
}

// Where SQLite cannot be opened in CI, its tests fail instead of being skipped.
describe.skipIf(open === undefined && !process.env.CI)('add on SQLite', () => {
  it('stores five payments at once with write, each with its intent', async () => {
    const { outbox, insert, payments, intents } = shop();
    const keys = ['pay-1', 'pay-2', 'pay-3', 'pay-4', 'pay-5'];
    await Promise.all(keys.map((key) => outbox.add(intent(key), { write: () => insert(key) })));
    expect(payments()).toEqual(keys);
    expect(await intents()).toEqual(keys);
  });

  it('rolls back only its own payment when write throws', async () => {
    const { outbox, insert, payments, intents } = shop();
    const failing = outbox.add(intent('pay-1'), {
      write: () => {
        insert('pay-1');
        throw new Error('card declined');
      },
    });
    const other = outbox.add(intent('pay-2'), { write: () => insert('pay-2') });
    // A write of the program on the same handle, in the same turn.
    insert('pay-0');
    await expect(failing).rejects.toThrow('card declined');
    await other;
    expect(payments()).toEqual(['pay-0', 'pay-2']);
    expect(await intents()).toEqual(['pay-2']);
  });

  it('refuses tx when no transaction is open, and stores nothing', async () => {
    const { database, outbox, intents } = shop();
    await expect(outbox.add(intent('pay-1'), { tx: database })).rejects.toThrow(TypeError);
    expect(await intents()).toEqual([]);
  });

  it('addSync joins db.transaction: a rollback undoes both, a commit keeps both', async () => {
    const { database, outbox, insert, payments, intents } = shop();
    const pay = (key: string, fails: boolean) =>
      database.transaction(() => {
        insert(key);
        outbox.addSync(intent(key), { tx: database });
        if (fails) throw new Error('card declined');
      })();
    pay('pay-1', false);
    expect(() => pay('pay-2', true)).toThrow('card declined');
    expect(payments()).toEqual(['pay-1']);
    expect(await intents()).toEqual(['pay-1']);
  });

  it('addSync refuses a known key without a word on its order, which it did not compare', async () => {
    const { database, outbox, intents } = shop();
    await outbox.add(intent('pay-1'));
    const pay = database.transaction(() => outbox.addSync(intent('pay-1'), { tx: database }));
    expect(pay).toThrow(
      expect.objectContaining({
        name: 'OutboxConflictError',
        message:
          'The outbox already knows the key "pay-1". addSync does not compare the orders. Await outbox.add, which adds nothing if the order is the same.',
      }) as Error,
    );
    expect(await intents()).toEqual(['pay-1']);
  });

  it('addSync throws for an order that breaks a rule, so that the payment is rolled back', async () => {
    const { database, outbox, insert, payments, intents } = shop();
    const pay = database.transaction(() => {
      insert('pay-1');
      outbox.addSync(intent('pay-1', { expected_price: 0.5 }), { tx: database });
    });
    expect(pay).toThrow('expected_price');
    expect(payments()).toEqual([]);
    expect(await intents()).toEqual([]);
  });

  it('addSync waits for no credential', async () => {
    const { keyId, secret } = world.emulator.createCredential();
    const credentials = () => ({ keyId, secret });
    const market = world.client({ keyId: undefined, secret: undefined, credentials });
    const { database, outbox, intents } = shop({ market, environment: 'sandbox' });
    const pay = database.transaction(() => {
      outbox.addSync(intent('pay-1'), { tx: database });
    });
    pay();
    expect(await intents()).toEqual(['pay-1']);
  });

  it('an add with tx that was not awaited leaves no intent without its payment', async () => {
    const { database, outbox, insert, payments, intents } = shop();
    const results: Promise<unknown>[] = [];
    const pay = database.transaction(() => {
      insert('pay-1');
      results.push(outbox.add(intent('pay-1'), { tx: database }));
      throw new Error('card declined');
    });
    expect(pay).toThrow('card declined');
    await Promise.allSettled(results);
    expect(payments()).toEqual([]);
    expect(await intents()).toEqual([]);
  });
});

describe.skipIf(open === undefined && !process.env.CI)('commit on SQLite', () => {
  it('that its callback did not return is awaited: its failure runs the callback again', async () => {
    let runs = 0;
    const { outbox, insert, payments } = shop({
      onPlaced: (_order, { key }, { commit }) => {
        runs += 1;
        const isFirst = runs === 1;
        void commit(() => {
          if (isFirst) throw new Error('no such column');
          insert(key);
        });
      },
    });
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 5);
    expect([runs, payments()]).toEqual([2, ['pay-1']]);
  });

  it('is done if its callback throws afterwards', async () => {
    const attempts: number[] = [];
    const { outbox, insert, payments } = shop({
      onPlaced: async (_order, { key }, { attempt, commit }) => {
        attempts.push(attempt);
        await commit(() => insert(key));
        throw new Error('mail server down');
      },
    });
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 5);
    expect([attempts, payments()]).toEqual([[1], ['pay-1']]);
    expect(await outbox.status()).toMatchObject({ unreported: 0, attention: 0 });
  });
});

it('addSync is refused by an engine whose transactions are asynchronous, or that has none', () => {
  const outbox = world.outboxWith({ engine: memoryEngine() });
  expect(() => outbox.addSync(intent('pay-1'), { tx: {} as never })).toThrow(
    /addSync.*sqliteEngine/,
  );
});
