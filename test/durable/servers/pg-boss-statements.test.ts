import { setTimeout as sleep } from 'node:timers/promises';
import { createEventInbox, createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { expect, it, onTestFinished, vi } from 'vitest';
import { job } from '../engine-kit/engine-harness.js';
import { MarketWorld, secret } from '../support/market-world.js';
import { noCallbacks } from '../support/no-callbacks.js';
import {
  describeOnPgBoss,
  newSchema,
  openBoss,
  openPool,
  queueLimits,
} from '../support/on-pg-boss.js';
import { pg, type PgClient } from '../support/pg-boss-under-test.js';
import { queueEngine } from '../support/open-engines.js';

describeOnPgBoss('what is sent to PostgreSQL', () => {
  it('stores 10,000 events of one sale in their order, with as many statements as one event takes', async () => {
    const { engine, statements } = await open();
    const queue = await engine.open({ name: 'page', ...queueLimits });
    const checkpoint = { cursor: 'last' } as never;
    await queue.enqueue([job('before', 'sale')], { checkpoint });
    statements.splice(0);
    // Ids that sort the other way: neither they nor their hashes give the order.
    const ids = Array.from({ length: 10_000 }, (_, index) => `e${String(99_999 - index)}`);
    const page = ids.map((id) => job(id, 'sale'));
    const { added } = await queue.enqueue(page, { checkpoint });
    // begin, which are known, insert, order, checkpoint, notify, commit.
    expect(statements.filter((text) => !isMaintenance(text))).toHaveLength(7);
    expect(added).toEqual(ids);
    const stored: string[] = [];
    let cursor: string | null | undefined;
    do {
      const next = await queue.list('waiting', { limit: 1_000, cursor: cursor ?? undefined });
      stored.push(...next.items.map(({ id }) => id));
      cursor = next.nextCursor;
    } while (cursor !== null);
    expect(stored).toEqual(['before', ...ids]);

    statements.splice(0);
    expect(await queue.enqueue(page, { checkpoint })).toEqual({ added: [] });
    expect(statements.filter((text) => !isMaintenance(text)).length).toBeLessThanOrEqual(4);
  }, 120_000);

  it('an inbox and an outbox that have nothing to do send at most four statements a second', async () => {
    const { engine, statements } = await open();
    const world = await MarketWorld.start({ clock: undefined });
    const market = world.client({ clock: undefined, sleep: undefined });
    const inbox = createEventInbox({
      market,
      engine,
      secret,
      startFrom: 'beginning',
      logger: false,
      on: { 'order.recorded': () => undefined },
    });
    const outbox = createOrderOutbox({ market, engine, ...noCallbacks, logger: false });
    onTestFinished(async () => {
      await outbox.stop();
      await inbox.stop();
      await market.close();
      await world.stop();
    });
    await inbox.start();
    await outbox.start();
    // The first look for lost leases and the first polls are behind them.
    await sleep(3_000);
    statements.splice(0);
    const seconds = 10;
    await sleep(seconds * 1_000);
    const sent = statements.length;
    expect(sent).toBeGreaterThan(0);
    expect(sent / seconds).toBeLessThanOrEqual(4);
  }, 60_000);
});

/** The look at a table that grew is no part of what an event costs. */
function isMaintenance(text: string): boolean {
  return /^(vacuum|analyze)|reltuples/.test(text);
}

/** An engine on a schema of its own, and every statement that any connection of `pg` sends. */
async function open(options: { clock?: () => number } = {}) {
  const schema = newSchema();
  const pool = openPool();
  const boss = await openBoss(schema, { supervise: undefined, schedule: undefined });
  const statements: string[] = [];
  const { prototype } = (pg as unknown as { Client: { prototype: PgClient } }).Client;
  const original = Reflect.get(prototype, 'query') as (...given: unknown[]) => unknown;
  const query = vi.spyOn(prototype, 'query');
  query.mockImplementation(function (this: PgClient, ...given: unknown[]) {
    const [text] = given as [string | { text?: string }];
    statements.push((typeof text === 'string' ? text : (text.text ?? '')).trim());
    return original.apply(this, given) as ReturnType<PgClient['query']>;
  });
  onTestFinished(() => {
    query.mockRestore();
  });
  return { engine: queueEngine(pgBossEngine(boss, { pool, schema, ...options })), statements };
}
