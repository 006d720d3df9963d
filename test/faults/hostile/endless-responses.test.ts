/** Responses without an end: bodies of 100 MB, and lists whose cursors lead in a circle. */

import { describe, expect, it } from 'vitest';
import { MarketError } from 'market-partner-sdk';
import { everyCall } from '../../specification.js';
import type { Exchange } from '../simulation/exchange.js';
import { answers, json } from '../simulation/faults.js';
import { settled, simulatedMarket, simulatedTime } from '../simulation/simulated-market.js';

const records = { publicId: 'ord_1', caseId: 'case_1' };

it('no more than 33 MB of 100 are read', async () => {
  const time = simulatedTime();
  let sentMb = 0;
  const { market } = simulatedMarket(time, () => (exchange) => {
    if (!exchange.start()) return;
    exchange.head(json(200, {}));
    pour(exchange);
  });
  const pour = (exchange: Exchange) => {
    if (exchange.gone || sentMb === 100) {
      exchange.end();
      return;
    }
    sentMb += 1;
    exchange.data(' '.repeat(1_000_000));
    exchange.after(1, () => pour(exchange));
  };
  const { error } = (await time.run(
    settled(() => market.orders.get('ord_1', { maxRetries: 0 })),
  )) as { error: unknown };
  expect(error).toBeInstanceOf(MarketError);
  expect(sentMb).toBeLessThanOrEqual(34);
});

const paged = everyCall.filter((row) => row.paged);

describe.each(paged)('$name', (row) => {
  it.each([
    ['to itself', () => 'a'],
    ['in a circle', (page: number) => ['a', 'b', 'c'][page % 3]!],
  ])('ends when its cursors lead %s', async (_title, cursorAt) => {
    const time = simulatedTime();
    let page = -1;
    const { market, network } = simulatedMarket(time, () =>
      answers('none', () => json(200, { data: [{}], next_cursor: cursorAt((page += 1)) })),
    );
    const list = row.invoke(market, records) as unknown as AsyncIterable<unknown>;
    const result = await time.run(
      settled(async () => {
        for await (const item of list) if (item === undefined || network.sent.length > 50) break;
      }),
    );
    expect(result).toMatchObject({ error: { name: 'UnexpectedResponseError' } });
    expect(network.sent.length).toBeLessThan(10);
  });
});
