import { describe, expect, it } from 'vitest';
import { MarketClient, type FetchLike } from 'market-partner-sdk';
import { credential } from '../../support/mock-market.js';
import { collectGarbage } from '../../support/garbage.js';

const pageLength = 1_000;
const pageCount = 200;

const marketOf = (fetch: FetchLike) =>
  new MarketClient({ baseUrl: 'https://market.example', ...credential, fetch, maxRetries: 0 });

/** A history of events in one process, made as it is read. */
const history: FetchLike = (url) => {
  const after = new URL(url).searchParams.get('after_id');
  const first = after === null ? 0 : Number(after.slice(4)) + 1;
  const length = Math.min(pageLength, pageLength * pageCount - first);
  const events = Array.from({ length }, (_none, at) => ({
    id: `evt_${first + at}`,
    type: 'order.recorded',
    created_at: '2026-11-21T08:00:00Z',
    data: { order: { public_id: `ord_${first + at}` } },
  }));
  return Promise.resolve(Response.json({ events, next_cursor: events.at(-1)?.id ?? after }));
};

describe('a walk over 200,000 events', () => {
  it('gives each once, in order, and keeps no page that was left behind', async () => {
    const market = marketOf(history);
    const firstOfPage: WeakRef<object>[] = [];
    let count = 0;
    for await (const event of market.events.list({ limit: pageLength })) {
      if (event.id !== `evt_${count}`) throw new Error(`${event.id} came as number ${count}`);
      if (count % pageLength === 0) firstOfPage.push(new WeakRef(event));
      count += 1;
    }
    expect(count).toBe(200_000);
    expect(firstOfPage).toHaveLength(pageCount);

    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(firstOfPage.filter((page) => page.deref() !== undefined).length).toBeLessThan(5);
  });

  it('keeps no page while it goes on, either', async () => {
    const market = marketOf(history);
    const firstOfPage: WeakRef<object>[] = [];
    const alive: number[] = [];
    let count = 0;
    for await (const event of market.events.list({ limit: pageLength })) {
      if (count % pageLength === 0) firstOfPage.push(new WeakRef(event));
      count += 1;
      if (count % (20 * pageLength) === pageLength / 4) {
        await new Promise((resolve) => setImmediate(resolve));
        collectGarbage();
        alive.push(firstOfPage.filter((page) => page.deref() !== undefined).length);
      }
      if (firstOfPage.length === 61) break;
    }
    // The first page, which the list's promise holds, the present one and its neighbours.
    expect(alive).toHaveLength(3);
    expect(Math.max(...alive)).toBeLessThan(6);
  });
});

describe('a list whose members have names of a megabyte', () => {
  it('leaves none of them in memory', async () => {
    let calls = 0;
    const listing: FetchLike = () => {
      calls += 1;
      if (calls > pageCount) return Promise.resolve(Response.json({}, { status: 500 }));
      return Promise.resolve(
        Response.json({ data: [], [`${calls}${'x'.repeat(1_000_000)}`]: 0, next_cursor: calls }),
      );
    };
    const market = marketOf(listing);
    const sale = {
      input: { domain: 'roast.example', expected_price: 191_000, currency: 'USD' },
      idempotencyKey: 'payment-1001',
      startedAt: Date.UTC(2026, 10, 21),
    };
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    expect(await market.orders.resume(sale)).toMatchObject({ state: 'open' });
    // V8 holds names weakly in several caches, which empty one after the other.
    for (let run = 0; run < 5; run += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(calls).toBeGreaterThan(pageCount);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
  });
});
