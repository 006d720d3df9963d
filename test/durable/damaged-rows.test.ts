/** Rows that were cut short or emptied after they were stored, as by a job that erases what is known of buyers. */

import {
  sqliteEngine,
  type DurableEngine,
  type OrderOutboxOptions,
  type SqliteDatabase,
} from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import { temporaryDatabases } from './support/temporary-databases.js';

const hourMs = 3_600_000;
const openDatabase = findBetterSqlite();
const databases = temporaryDatabases(openDatabase);

let database: SqliteDatabase;
let engine: DurableEngine;

function openStore(clock: () => number) {
  database = databases.open();
  // Writes wait for each other in real time.
  engine = sqliteEngine(database, { clock }) as DurableEngine;
}

/** Sets a column of a row of the orders, verdicts or events. */
function damage(kind: string, id: string, column: string, value: string | null): void {
  const queue = `market-default-sandbox-${kind}`;
  const { changes } = database
    .prepare(`update market_job set ${column} = ? where queue = ? and id = ?`)
    .run(value, queue, id);
  expect(changes).toBe(1);
}

const damages: [string, string | null][] = [
  ['cut short', '{"key":"pay-1","order":{"domain":"brew.ex'],
  ['emptied', ''],
  ['set to null', null],
  ['replaced by an empty object', '{}'],
  ['replaced by another value', '"erased"'],
];

describe.skipIf(openDatabase === undefined)('in an outbox, a sale', () => {
  const world = useOutboxWorld();

  const outboxWith = (options: Partial<OrderOutboxOptions> = {}) => {
    openStore(world.time.options.clock);
    return world.outboxWith({ engine, ...options });
  };

  it.each(damages)(
    'whose body was %s is logged, counted, and then an operator’s, who can end it',
    async (_what, body) => {
      const { logger, lines } = recordingLogger();
      const outbox = outboxWith({ logger, escalateAfterMs: hourMs });
      await outbox.add(intent('pay-1'));
      await outbox.add(intent('pay-2', { domain: 'tea.example' }));
      damage('orders', 'pay-1', 'body', body);
      await world.drainFor(outbox, 5);
      expect(lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(2);
      expect((await outbox.get('pay-1'))?.attempts).toBeGreaterThan(2);
      expect(world.reported).toEqual(['pay-2 placed tea.example']);
      await world.drainFor(outbox, 70);
      expect(world.reported.slice(1)).toEqual(['pay-1 attention not_placed_in_time 0']);
      const [entry] = await outbox.list({ state: 'attention' });
      expect(entry).toMatchObject({ key: 'pay-1', attention: { reason: 'not_placed_in_time' } });
      await outbox.resolve('pay-1', { refused: 'paid back by hand' });
      await world.drainFor(outbox, 1);
      expect(world.reported.slice(2)).toEqual(['pay-1 refused resolved operator']);
    },
  );

  it.each(damages)(
    'in attention, what is known of which was %s, hides no other',
    async (_, error) => {
      const outbox = outboxWith({ escalateAfterMs: 1 });
      world.emulator.faults.on('POST /orders', fault.resetBeforeWork());
      for (const [key, domain] of [
        ['pay-1', 'brew.example'],
        ['pay-2', 'tea.example'],
      ] as const) {
        await outbox.add(intent(key, { domain }));
      }
      await world.drainFor(outbox, 1);
      damage('orders', 'pay-1', 'error', error);
      const page = await outbox.list({ state: 'attention' });
      expect(page.map(({ key, attention }) => [key, attention?.reason])).toEqual([
        ['pay-1', 'invalid_input'],
        ['pay-2', 'not_placed_in_time'],
      ]);
      expect(page[0]?.attention?.message).toContain('An order may exist');
    },
  );

  it('that was placed, and then erased, is in the list, and no other is missing', async () => {
    const outbox = outboxWith();
    await outbox.add(intent('pay-1'));
    await outbox.add(intent('pay-2', { domain: 'tea.example' }));
    await world.drainFor(outbox, 1);
    damage('orders', 'pay-1', 'output', '{}');
    damage('verdicts', 'pay-1', 'output', '');
    const placed = await outbox.list({ state: 'placed' });
    expect(placed.map(({ key, order }) => [key, order?.domain])).toEqual([
      ['pay-1', undefined],
      ['pay-2', 'tea.example'],
    ]);
    await world.time.advance(hourMs);
    const findings = async (ageMs: number) => {
      const from = world.time.nowMs - ageMs;
      const found = await outbox.reconcile({ from }).toArray();
      return found.map(({ kind, idempotencyKey }) => `${kind} ${idempotencyKey ?? ''}`);
    };
    expect(await findings(2 * hourMs)).toContain('not_checkable pay-1');
    await world.time.advance(72 * hourMs);
    expect(await findings(2 * hourMs)).toEqual([]);
  });

  it('whose verdict was emptied keeps its callback for an operator', async () => {
    const { logger, lines } = recordingLogger();
    const outbox = outboxWith({
      logger,
      onPlaced: () => Promise.reject(new Error('the database is away')),
    });
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 1);
    damage('verdicts', 'pay-1', 'body', '');
    await world.drainFor(outbox, 240);
    expect(lines.some(({ level, message }) => level === 'error' && message.includes('pay-1'))).toBe(
      true,
    );
    expect(await outbox.list({ state: 'attention' })).toMatchObject([{ key: 'pay-1' }]);
  });
});

describe.skipIf(openDatabase === undefined)('in an inbox, an event', () => {
  const harness = useInboxHarness();

  it.each(damages)('that was %s is logged, and ends as a dead letter', async (_what, body) => {
    openStore(harness.world.time.options.clock);
    const dead: string[] = [];
    const inbox = harness.inbox({
      engine,
      retry: { maxAttempts: 3, baseMs: 10 },
      onDeadLetter: ({ id, error }) => dead.push(`${id} ${error.split('\n')[0]}`),
    });
    const [event] = await harness.sold(2);
    await inbox.poll();
    damage('events', event!.id, 'body', body);
    for (let round = 0; round < 5; round += 1) {
      const drained = drain(inbox);
      await harness.world.time.advance(60_000);
      await drained;
    }
    expect(harness.handled).toHaveLength(1);
    expect(harness.logged('warn')).toHaveLength(2);
    expect(dead).toEqual([
      expect.stringMatching(`^${event!.id} Error: What the engine has stored`),
    ]);
    const letters = await inbox.deadLetters();
    expect(letters).toMatchObject([{ id: event!.id, attempts: 3, event: { id: event!.id } }]);
    expect(await inbox.discard(event!.id, 'erased')).toBe(true);
  });

  it('that died and was then erased hides no other dead letter', async () => {
    openStore(harness.world.time.options.clock);
    const fail = () => Promise.reject(new Error('never'));
    const inbox = harness.inbox({
      engine,
      retry: { maxAttempts: 1 },
      on: { 'order.recorded': fail },
    });
    await harness.handleOther(inbox);
    await harness.world.sell(2);
    await drain(inbox);
    const [first, second] = await inbox.deadLetters();
    damage('events', first!.id, 'body', '');
    expect((await inbox.deadLetters()).map(({ id, event }) => [id, event.type])).toEqual([
      [first!.id, 'unreadable'],
      [second!.id, 'order.recorded'],
    ]);
  });
});
