/**
 * Books with planted defects against a service that tells the truth, hides fields, or lies. `SEED=17`
 * runs one book again; `SCHEDULES=100000` runs a hundredth of that many books of each kind.
 */

import { describe, expect, it } from 'vitest';
import { MarketClient, UnexpectedResponseError, type Finding } from 'market-partner-sdk';
import { Random } from '../simulation/random.js';
import { credential } from '../simulation/simulated-market.js';
import { defects, graceMs, makeBooks, nowMs, stuckAfterMs, type Books } from './books.js';
import { OrderList, pageSize, type Lies } from './order-list.js';

const { SEED: only, FIRST: first = 0, SCHEDULES: schedules = 10_000 } = process.env;
const seeds =
  only === undefined
    ? Array.from({ length: Number(schedules) / 100 }, (_, at) => Number(first) + at)
    : [Number(only)];

/** What a comparison found: `amount_differs payment-7`, sorted. */
async function found(books: Books, list: OrderList): Promise<string[]> {
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    ...credential,
    fetch: list.fetch,
    clock: () => nowMs,
  });
  const { fromMs: from, sales } = books;
  const comparison = market.orders.reconcile({ sales, from, graceMs, stuckAfterMs });
  const findings = await comparison.toArray();
  const { summary } = comparison;
  expect(summary.agreed + new Set(findings.map(({ row }) => row).filter(isSet)).size).toBe(
    summary.sales,
  );
  expect(list.writes).toBe(0);
  // Orders arrive meanwhile: they are told, and not judged.
  return findings
    .filter(({ message }) => !message.endsWith('not judged.'))
    .map(name)
    .sort();
}

/** An empty page that states a failure is no list: the run ends with its error. */
function listFailed(error: unknown): string[] {
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  return ['not_checkable list'];
}

const isSet = (row: number | undefined) => row !== undefined;
const name = ({ kind, idempotencyKey, publicIds }: Finding) =>
  `${kind} ${idempotencyKey ?? publicIds[0] ?? 'list'}`;

/** Lists that prove nothing, in the words of services and gateways. */
const lies: Readonly<Record<string, Lies>> = {
  'a cache that states its age': { headers: { age: '20' } },
  'a cache that states a hit': { headers: { 'x-cache': 'HIT' } },
  'a list that has more': { extra: { has_more: true } },
  'a list that links to its next part': { extra: { links: { next: '/orders?page=2' } } },
  'a list that is partial': { extra: { partial: true } },
  'a list that failed': { extra: { success: false } },
  'a list with errors': { extra: { errors: ['shard 3 did not respond'] } },
  'a list with a total above its items': { extra: { total: 10_000 } },
  'a filter that is ignored': { ignoresFilters: true },
};

describe('orders.reconcile', () => {
  it('finds every planted defect and nothing else', async () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const books = makeBooks(random, defects, random.integer(1, 5));
      const list = new OrderList(books.orders);
      arriving(list, random);
      expect(await found(books, list), `SEED=${seed}: ${books.planted.join(', ')}`).toEqual(
        [...books.expected].sort(),
      );
    }
  });

  it.each(Object.entries(lies))('is never green and never wrong with %s', async (_, lie) => {
    for (const seed of seeds.slice(0, Math.ceil(seeds.length / 10))) {
      const random = new Random(seed);
      const books = makeBooks(random, defects, random.integer(0, 5));
      // A stale list misses what is newest, or anything.
      const misses = new Set(
        books.orders.flatMap(({ public_id: id }) => (random.chance(0.2) ? [id] : [])),
      );
      const list = new OrderList(books.orders, [], { ...lie, misses });
      const findings = await found(books, list).catch(listFailed);
      const others = findings.filter((each) => !books.expected.some((one) => one === each));
      // A first page that has every order is the whole list, whatever was asked for.
      if (lie.ignoresFilters !== true || books.orders.length > pageSize) {
        expect(findings, `SEED=${seed}`).toContain('not_checkable list');
      }
      expect(
        others.filter((each) => !each.startsWith('not_checkable ')),
        `SEED=${seed}: ${books.planted.join(', ')}`,
      ).toEqual([]);
    }
  });

  it('joins nothing by guess at a service that hides references and times', async () => {
    const hidden = ['external_payment_ref', 'created_at', 'updated_at'];
    for (const seed of seeds) {
      const books = makeBooks(new Random(seed), {}, 0);
      const list = new OrderList(books.orders, [], { hidden });
      const unjoinable = books.sales
        .filter(({ publicId, startedAt }) => publicId === undefined && isInWindow(books, startedAt))
        .map(({ idempotencyKey }) => `not_checkable ${idempotencyKey}`);
      const findings = await found(books, list);
      // Without a time of change, nothing says since when a transfer has been going on.
      const undated = findings.filter((each) => !unjoinable.includes(each));
      expect(findings, `SEED=${seed}`).toEqual(expect.arrayContaining(unjoinable));
      expect(undated.every((each) => each.startsWith('not_checkable '))).toBe(true);
    }
  });
});

function isInWindow({ fromMs }: Books, startedAt: Date | number | string): boolean {
  const ms = new Date(startedAt).getTime();
  return ms >= fromMs && ms < nowMs - graceMs;
}

/** Orders of sales that begin while the comparison runs. */
function arriving(list: OrderList, random: Random): void {
  let count = 0;
  list.onPage = () => {
    if (!random.chance(0.2)) return;
    count += 1;
    const id = `ord_9999999${String(count).padStart(4, '0')}`;
    list.orders.push({
      public_id: id,
      domain: `new-${count}.example`,
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 100,
      currency: 'USD',
      created_at: new Date(nowMs).toISOString(),
      external_payment_ref: `new-${count}`,
    });
  };
}
