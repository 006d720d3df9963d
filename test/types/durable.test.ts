/** What the compiler lets a partner write with the inbox. The functions are never called. */

import type { MarketClient } from 'market-partner-sdk';
import { createEventInbox, memoryEngine, sqliteEngine } from 'market-partner-sdk/durable';
import { expectTypeOf, it } from 'vitest';

declare const market: MarketClient;

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
