import { createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { expect, it, onTestFinished } from 'vitest';
import { noCallbacks } from '../support/no-callbacks.js';
import {
  describeOnPgBoss,
  newSchema,
  openBoss,
  openMarket,
  openPool,
} from '../support/on-pg-boss.js';
import { pg } from '../support/pg-boss-under-test.js';

interface Types {
  getTypeParser(oid: number): (text: string) => unknown;
  setTypeParser(oid: number, parse: (text: string) => unknown): void;
}

/** int2, int4, int8, float8, json, jsonb, timestamp, timestamptz, uuid: those that the statements meet. */
const oids = [21, 23, 20, 701, 114, 3802, 1114, 1184, 2950];

const asBigInt = (text: string) => (/^\d+$/.test(text) ? BigInt(text) : text);

/** As moment and Day.js give it: `String` has no milliseconds. */
const asMoment = (text: string) => {
  if (!/^\d{4}-\d{2}-\d{2} /.test(text)) return text;
  const date = new Date(text);
  return { toString: () => date.toUTCString(), toJSON: () => date.toISOString() };
};

const asUnixMs = (text: string) =>
  /^\d{4}-\d{2}-\d{2} /.test(text) ? new Date(text).getTime() : text;

describeOnPgBoss('the rows of pg', () => {
  it.each([
    ['texts', (text: string) => text],
    ['BigInts', asBigInt],
    ['dates of a library', asMoment],
    ['Unix milliseconds', asUnixMs],
  ])('may come as %s: a sale is placed, listed and reported', async (_form, parse) => {
    const { types } = pg as unknown as { types: Types };
    for (const oid of oids) {
      const original = types.getTypeParser(oid);
      types.setTypeParser(oid, parse);
      onTestFinished(() => types.setTypeParser(oid, original));
    }
    const schema = newSchema();
    const pool = openPool({ max: 4 });
    const world = await openMarket();
    const boss = await openBoss(schema);
    const outbox = createOrderOutbox({
      ...noCallbacks,
      market: world.market,
      engine: pgBossEngine(boss, { pool, schema, pollMs: 50 }),
    });
    onTestFinished(() => outbox.stop());
    world.emulator.admin.list({ domain: 'brew.example', price_cents: 100 });
    const order = { domain: 'brew.example', expected_price: 100, currency: 'USD' };
    await outbox.add({ key: 'payment-1', order });
    expect(await outbox.get('payment-1')).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await outbox.drain({ maxMs: 10_000 })).toMatchObject({ placed: 1, left: 0 });
    const entry = await outbox.get('payment-1');
    expect(entry).toMatchObject({ state: 'placed', attempts: 1 });
    expect(Date.parse(entry!.addedAt)).toBeGreaterThan(0);
    expect(await outbox.list({ state: 'placed' })).toHaveLength(1);
    expect(await outbox.status()).toMatchObject({ waiting: 0, unreported: 0 });
  });
});
