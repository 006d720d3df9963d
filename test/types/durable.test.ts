/** What the compiler lets a partner write with the inbox and the outbox. The functions are never called. */

import type { MarketClient } from 'market-partner-sdk';
import {
  createEventInbox,
  createOrderOutbox,
  memoryEngine,
  sqliteEngine,
  type EventContext,
} from 'market-partner-sdk/durable';
import { pgBossEngine, type PgBossLike } from 'market-partner-sdk/durable/pg-boss';
import type { Pool, PoolClient } from 'pg';
import { expectTypeOf, it } from 'vitest';

declare const market: MarketClient;
declare const boss: PgBossLike;
declare const pool: Pool;
/** A function of a program, which knows the clients of its pool. */
declare const insertPayment: (client: PoolClient) => Promise<void>;
declare const settle: (event: object, context: EventContext<PoolClient>) => Promise<void>;

it('an engine shows its name, and nothing of what inboxes and outboxes use', () => {
  expectTypeOf<keyof ReturnType<typeof memoryEngine> & string>().toEqualTypeOf<'name'>();
});

it('an inbox offers commit only on an engine with transactions', () => {
  const write = () => [
    createEventInbox({
      market,
      engine: sqliteEngine('market.db'),
      startFrom: 'beginning',
      on: {
        'order.settled': ({ id }, { commit }) =>
          commit((tx) => tx.prepare('insert into effect values (?)').run(id)),
      },
      onEvent: (_event, { commit }) => commit((tx) => tx.exec('select 1')),
    }),
    createEventInbox({
      market,
      engine: memoryEngine(),
      startFrom: 'beginning',
      on: {
        'order.settled': (_event, context) => {
          expectTypeOf(context).not.toHaveProperty('commit');
          expectTypeOf(context).toHaveProperty('signal');
        },
      },
    }),
  ];
  expectTypeOf(write).toBeFunction();
});

it('with a Pool of pg, every transaction is a PoolClient', () => {
  const write = async () => {
    const engine = pgBossEngine(boss, { pool });
    const outbox = createOrderOutbox({
      market,
      engine,
      onPlaced: (_order, _intent, { commit }) => commit(insertPayment),
      onRefused: (_refusal, _intent, { commit }) => commit((tx) => insertPayment(tx)),
      onAttention: () => undefined,
    });
    const order = { domain: 'brew.example', expected_price: 100, currency: 'USD' };
    await outbox.add({ key: 'payment-1', order }, { write: insertPayment });
    await outbox.add({ key: 'payment-1', order }, { tx: await pool.connect() });
    return createEventInbox({
      market,
      engine,
      startFrom: 'beginning',
      on: { 'order.settled': settle },
    });
  };
  expectTypeOf(write).toBeFunction();
});
