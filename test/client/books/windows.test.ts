/** What belongs to a window, what is read for it, and what a comparison tells on its way. */

import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  InvalidRequestError,
  MarketClient,
  type BooksToReconcile,
  type SaleInBooks,
} from 'market-partner-sdk';
import { OrderList, pageSize } from '../../faults/books/order-list.js';
import { at, clientOf, compare, dayMs, fromMs, minuteMs, nowMs, order, sale } from './service.js';

/** A comparison of the window at a service that is a fetch function. */
const compareAt = (fetch: OrderList['fetch'], sales: BooksToReconcile['sales']) =>
  clientOf(fetch).orders.reconcile({ sales, from: fromMs });

/** A list that keeps the query of each request. */
class WatchedList extends OrderList {
  readonly queries: Record<string, string>[] = [];
  override onQuery = (query: URLSearchParams) => {
    this.queries.push(Object.fromEntries(query));
  };
}

describe('the window', () => {
  it.each<[string, number, string[], number]>([
    ['its first millisecond', fromMs, ['missing_at_service a'], 1],
    ['a millisecond before it', fromMs - 1, [], 0],
    ['its last millisecond', nowMs - 15 * minuteMs - 1, ['missing_at_service a'], 1],
    ['its end', nowMs - 15 * minuteMs, [], 0],
  ])('has a sale that began at %s', async (_what, startedAt, expected, sales) => {
    const { found, summary } = await compare([sale('a', { startedAt })], []);
    expect(found).toEqual(expected);
    expect(summary).toMatchObject({ sales, agreed: 0 });
  });

  it('may end later than the grace: a sale in between may still get its order', async () => {
    const young = sale('a', { startedAt: nowMs - 15 * minuteMs + 1 });
    const old = sale('b', { startedAt: nowMs - 15 * minuteMs });
    const { found } = await compare([young, old], [], { to: nowMs });
    expect(found).toEqual(['not_checkable a', 'missing_at_service b']);
  });

  it('has the sale of its first millisecond compared with its order, and not the one of its end', async () => {
    const dearer = (name: string) => order(name, { sale_price_cents: 5 });
    const to = nowMs - 60 * minuteMs;
    const sales = [
      sale('a', { startedAt: fromMs }),
      sale('b', { startedAt: fromMs - 1 }),
      sale('c', { startedAt: to - 1 }),
      sale('d', { startedAt: to }),
    ];
    const { found } = await compare(sales, ['a', 'b', 'c', 'd'].map(dearer), { to });
    expect(found.sort()).toEqual(['amount_differs a', 'amount_differs c']);
  });

  it('that ends later than the grace has no unknown order that is younger', async () => {
    const young = order('x', { created_at: at(nowMs - 15 * minuteMs) });
    const old = order('y', { created_at: at(nowMs - 15 * minuteMs - 1) });
    expect((await compare([], [young, old], { to: nowMs })).found).toEqual([
      'unknown_here ord_y',
      'not_checkable',
    ]);
  });

  it('tells how many orders without a sale are too young to judge, unless it ended before', async () => {
    const young = (id: string) => order(id, { created_at: at(nowMs - minuteMs) });
    const orders = [young('x'), young('y'), young('z')];
    const { findings } = await compare([], orders);
    expect(findings.map(({ message }) => message)).toEqual([
      '3 orders are younger than 15 minutes and in no books: not judged.',
    ]);
    expect((await compare([], orders, { to: fromMs + dayMs })).found).toEqual([]);
  });

  it.each(['America/New_York', 'Asia/Tokyo'])(
    'has the orders of UTC where a time has no offset and the machine is in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      onTestFinished(() => void vi.unstubAllEnvs());
      const createdAt = (ms: number) => ({ created_at: at(ms).replace('Z', '') });
      const within = [order('x', createdAt(fromMs)), order('y', createdAt(fromMs + dayMs))];
      const outside = [order('z', createdAt(fromMs - 1))];
      const { found } = await compare([], [...within, ...outside]);
      expect(found).toEqual(['unknown_here ord_x', 'unknown_here ord_y']);
    },
  );

  it('is read a day at a time, from a day before it to now', async () => {
    const list = new WatchedList([]);
    await compare([], list);
    expect(list.queries).toEqual([
      { from: at(fromMs - dayMs), to: at(fromMs) },
      { from: at(fromMs), to: at(fromMs + dayMs) },
      { from: at(fromMs + dayMs), to: at(fromMs + 2 * dayMs) },
      // It ends at this moment, so that it is the last one, and orders go on arriving.
      { from: at(fromMs + 2 * dayMs) },
    ]);
  });

  it('costs one look-up for each sale without an order, and none for the others', async () => {
    const list = new WatchedList([order('a')]);
    await compare([sale('a'), sale('b'), sale('c', { state: 'refused' })], list);
    const lookUps = list.queries.filter(({ domain }) => domain !== undefined);
    expect(lookUps).toEqual([{ domain: 'b.example' }]);
  });
});

describe('a list that proves nothing', () => {
  const partial = (orders = [order('a')]) =>
    new OrderList(orders, [], { extra: { partial: true } });

  it('leaves a sale without an order unchecked, the refused one too', async () => {
    const sales = [sale('a'), sale('b'), sale('c', { state: 'refused' })];
    const { found, summary } = await compare(sales, partial());
    expect(found.filter((each) => each !== 'not_checkable')).toEqual([
      'not_checkable b',
      'not_checkable c',
    ]);
    expect(found).toHaveLength(6);
    expect(summary).toMatchObject({ sales: 3, agreed: 1, notCheckable: 6 });
  });

  it('for one day leaves a refused sale to the look-up of its domain', async () => {
    const list = new OrderList([]);
    const pages = { left: 1 };
    const fetch: OrderList['fetch'] = async (address, init) => {
      const response = await list.fetch(address, init);
      return (pages.left -= 1) < 0 ? response : Response.json({ data: [], partial: true });
    };
    const comparison = compareAt(fetch, [sale('a', { state: 'refused' })]);
    const findings = await comparison.toArray();
    expect(findings.map(({ kind, idempotencyKey }) => [kind, idempotencyKey])).toEqual([
      ['not_checkable', undefined],
    ]);
    expect(comparison.summary.agreed).toBe(1);
  });

  it.each<[string, object]>([
    ['id', { public_id: undefined }],
    ['id, which is empty', { public_id: '' }],
    ['domain', { domain: undefined }],
    ['id that is a text', { public_id: 7 }],
    ['domain that is a text', { domain: 7 }],
  ])('is one with an order without an %s: it may be any sale’s', async (_what, changes) => {
    const shown = { ...order('b'), ...changes };
    const fetch: OrderList['fetch'] = () => Promise.resolve(Response.json({ data: [shown] }));
    const comparison = compareAt(fetch, [sale('b')]);
    const kinds = new Set((await comparison.toArray()).map(({ kind }) => kind));
    expect([...kinds]).toEqual(['not_checkable']);
    expect(comparison.summary.agreed).toBe(0);
  });

  it('is none under the name of what it lists', async () => {
    const fetch: OrderList['fetch'] = async (address) =>
      Response.json(address.includes('/settlements') ? { settlements: [] } : { orders: [] });
    const books = { sales: [sale('a')], from: fromMs, settlements: true };
    const comparison = clientOf(fetch).orders.reconcile(books);
    expect((await comparison.toArray()).map(({ kind }) => kind)).toEqual(['missing_at_service']);
  });

  it('is one whose orders are of another day, with a tolerance of a day', async () => {
    const shown = async (createdMs: number) => {
      const list = new OrderList([order('a', { created_at: at(createdMs) })], [], {
        ignoresFilters: true,
      });
      return (await compare([sale('a')], list)).found.filter((each) => each === 'not_checkable')
        .length;
    };
    // Seen in each of the four days: two of them are more than a day off.
    expect(await shown(nowMs - 1.5 * dayMs)).toBe(1);
    expect(await shown(nowMs - 9 * dayMs)).toBe(4);
  });
});

describe('an order that arrives while the lists are read', () => {
  it('is found by the second reading, and compared', async () => {
    const list = new OrderList([]);
    let pages = 0;
    list.onPage = () => {
      pages += 1;
      if (pages === 5) list.orders.push(order('a', { sale_price_cents: 5 }));
    };
    expect((await compare([sale('a')], list)).found).toEqual(['amount_differs a']);
  });

  it('and may be another one’s, leaves the sale unchecked', async () => {
    const list = new OrderList([]);
    let pages = 0;
    list.onPage = () => {
      pages += 1;
      if (pages === 5) list.orders.push(order('a', { external_payment_ref: undefined }));
    };
    expect((await compare([sale('a', { state: 'refused' }), sale('b')], list)).found).toEqual([
      'missing_at_service b',
    ]);
  });
});

describe('a comparison', () => {
  it('reports what was stuck for longer than a timer can run', async () => {
    const long = order('a', { updated_at: at(nowMs - 60 * dayMs) });
    const stuckAfter = async (stuckAfterMs: number) =>
      (await compare([sale('a')], [long], { stuckAfterMs })).found;
    expect(await stuckAfter(59 * dayMs)).toEqual(['stuck a']);
    expect(await stuckAfter(61 * dayMs)).toEqual([]);
  });

  it('counts sales, orders and findings, and tells its progress', async () => {
    const progress: { sales: number; orders: number }[] = [];
    const sales = [sale('a'), sale('b', { state: 'open' }), sale('c')];
    const onProgress = (each: { sales: number; orders: number }) => progress.push(each);
    const { summary } = await compare(sales, [order('a'), order('b')], {}, { onProgress });
    expect(summary).toMatchObject({ sales: 3, orders: 2, agreed: 1, notCheckable: 0 });
    expect(summary.findings).toMatchObject({ behind: 1, missing_at_service: 1, unknown_here: 0 });
    expect(progress[0]).toEqual({ sales: 3, orders: 0 });
    // After the books, four days and one look-up.
    expect(progress).toHaveLength(6);
    expect(progress.at(-1)).toEqual({ sales: 3, orders: 2 });
  });

  it('has no summary before its end, and runs once', async () => {
    const comparison = compareAt(new OrderList([]).fetch, []);
    expect(() => comparison.summary).toThrow('has not ended');
    const reading = comparison[Symbol.asyncIterator]();
    const first = reading.next();
    await expect(comparison.toArray()).rejects.toThrow('runs once');
    await first;
    expect(comparison.summary.sales).toBe(0);
  });

  it('tells what it found, a refunded order included, before the error that ends it', async () => {
    const list = new OrderList([order('a', { status: 'REFUNDED', created_at: at(fromMs + 1) })]);
    let pages = 0;
    const fetch: OrderList['fetch'] = async (address, init) =>
      (pages += 1) < 4 ? list.fetch(address, init) : Response.json({ code: 'x' }, { status: 500 });
    const comparison = compareAt(fetch, [sale('a')]);
    const kinds: string[] = [];
    const reading = (async () => {
      for await (const { kind } of comparison) kinds.push(kind);
    })();
    await expect(reading).rejects.toMatchObject({ response: { status: 500 } });
    expect(kinds).toEqual(['behind']);
  });

  it.each<[string, () => Response]>([
    ['a 200 that states a failure', () => Response.json({ success: false, data: [] })],
    ['a 200 that holds no list', () => Response.json({ status: 'error' })],
    ['a page of a gateway', () => new Response('<h1>busy</h1>')],
    [
      'a 404 for a name without orders',
      () => Response.json({ code: 'not_found' }, { status: 404 }),
    ],
    ['a refusal of its filter', () => Response.json({ code: 'bad_domain' }, { status: 400 })],
  ])('goes on past a list that cannot be read: %s', async (_what, broken) => {
    const list = new OrderList([order('b', { sale_price_cents: 999 })]);
    const fetch: OrderList['fetch'] = async (address, init) =>
      address.includes('domain=a.example') ? broken() : list.fetch(address, init);
    const comparison = compareAt(fetch, [sale('a'), sale('b'), sale('c')]);
    const findings = await comparison.toArray();
    expect(findings.map(({ kind, idempotencyKey }) => `${kind} ${idempotencyKey}`)).toEqual([
      'amount_differs b',
      'not_checkable a',
      'missing_at_service c',
    ]);
    expect(findings[1]?.message).toMatch(/^The list of the orders of a\.example could not be read/);
    expect(comparison.summary).toMatchObject({ agreed: 0, notCheckable: 1 });
  });

  it('goes on past a day, and past statements, that cannot be read', async () => {
    const list = new OrderList([order('a')]);
    const failed = () => Response.json({ success: false });
    const fetch: OrderList['fetch'] = async (address, init) => {
      const { pathname, searchParams } = new URL(address);
      const isFirstDay = searchParams.get('from') === at(fromMs - dayMs);
      return isFirstDay || pathname.endsWith('/settlements') ? failed() : list.fetch(address, init);
    };
    const books = { sales: [sale('a', { status: 'externally_paid' })], from: fromMs };
    const comparison = clientOf(fetch).orders.reconcile({ ...books, settlements: true });
    const findings = await comparison.toArray();
    expect(findings.map(({ kind, message }) => [kind, message.split(':')[0]])).toEqual([
      ['not_checkable', expect.stringContaining('The list of the orders of one day') as string],
      ['not_checkable', 'The list of the statements could not be read'],
    ]);
    expect(comparison.summary).toMatchObject({ agreed: 1 });
  });

  it('reads no statement unless it is asked to', async () => {
    const list = new OrderList([], [{ period_start: 'x' }]);
    expect((await compare([], list)).found).toEqual([]);
    expect((await compare([], list, { settlements: true })).found).toEqual(['not_checkable']);
  });

  it('passes a failure of the books on, after the wrong rows so far', async () => {
    async function* books() {
      yield { ...sale('a'), state: 'paid' } as unknown as SaleInBooks;
      throw new Error('the cursor was lost');
    }
    const comparison = compareAt(new OrderList([]).fetch, books());
    const kinds: string[] = [];
    const reading = (async () => {
      for await (const { kind } of comparison) kinds.push(kind);
    })();
    await expect(reading).rejects.toThrow('the cursor was lost');
    expect(kinds).toEqual(['not_checkable']);
  });
});

describe('a row of the books', () => {
  const wrong = (changes: object) => ({ ...sale('a'), ...changes });
  const wrongInput = (changes: object) => wrong({ input: { ...sale('a').input, ...changes } });
  it.each<[string, unknown, string]>([
    ['is missing', undefined, '"sale" is required and must be an object'],
    ['is null', null, '"sale" must be an object'],
    ['is a text', 'payment-1', '"sale" must be an object'],
    ['has no key', wrong({ idempotencyKey: undefined }), '"idempotencyKey" is required'],
    ['has a key that is a number', wrong({ idempotencyKey: 7 }), '"idempotencyKey" must be'],
    ['has no input', wrong({ input: undefined }), '"input"'],
    ['has no price', wrongInput({ expected_price: undefined }), '"input.expected_price"'],
    ['has a price that is NaN', wrongInput({ expected_price: NaN }), '"input.expected_price"'],
    [
      'has a currency that is none',
      wrongInput({ currency: 'dollars' }),
      '"input.currency" must be',
    ],
    ['has no state', wrong({ state: undefined }), '"state" is required and must be "placed"'],
    ['has a state in capitals', wrong({ state: 'PLACED' }), '"state" must be'],
    ['has a status that is a number', wrong({ status: 5 }), '"status" must be a non-empty string'],
    ['has an empty id', wrong({ publicId: '' }), '"publicId" must be a non-empty string'],
    ['began at no date', wrong({ startedAt: new Date(Number.NaN) }), '"startedAt" must be a Date'],
    ['began yesterday, in words', wrong({ startedAt: 'yesterday' }), '"startedAt" must be a Date'],
    ['began at Unix seconds', wrong({ startedAt: nowMs / 1_000 }), '"startedAt" must be a Date'],
    ['was refunded at no date', wrong({ refundedAt: 'soon' }), '"refundedAt" must be a Date'],
  ])('that %s is told with its row, and ends nothing', async (_what, row, rule) => {
    const sales = [row as SaleInBooks, sale('b')];
    const { found, findings, summary } = await compare(sales, [order('b')]);
    expect(found).toHaveLength(1);
    expect(findings[0]).toMatchObject({ kind: 'not_checkable', row: 0 });
    expect(findings[0]?.message).toContain('Row 0 of the books is not valid: ');
    expect(findings[0]?.message).toContain(rule);
    // It will not become valid by itself.
    expect(findings[0]?.nextStep).toMatch(/^Correct the row/);
    expect(summary).toMatchObject({ sales: 2, agreed: 1, notCheckable: 1 });
  });

  it('that throws when it is read ends the comparison: the books have failed', async () => {
    const broken = {
      ...sale('a'),
      get state(): 'placed' {
        throw new Error('the column is gone');
      },
    };
    await expect(compare([broken], [])).rejects.toThrow('the column is gone');
  });

  it('without a readable key is told without one', async () => {
    const { findings } = await compare([wrong({ idempotencyKey: 7 })], []);
    expect(findings[0]).not.toHaveProperty('idempotencyKey');
  });

  it('with several mistakes in its input names all of them', async () => {
    const row = wrong({ input: { domain: 'a.example', expected_price: 0, currency: 'x' } });
    const { findings } = await compare([row], []);
    expect(findings[0]?.message).toMatch(/"input.expected_price" .*; "input.currency" /);
  });

  it('with the key of an earlier one is told, not missed at the service', async () => {
    const sales = [sale('a'), sale('b'), sale('a')];
    const { found, findings, summary } = await compare(sales, [order('a'), order('b')]);
    expect(found).toEqual(['not_checkable a']);
    expect(findings[0]).toMatchObject({ row: 2 });
    expect(findings[0]?.message).toContain('"idempotencyKey" is that of row 0');
    expect(summary).toMatchObject({ sales: 3, agreed: 2 });
  });

  it("takes a database's NULL for a value that is absent", async () => {
    const nulls = { publicId: null, status: null, refundedAt: null } as unknown;
    const row = sale('a', nulls as Partial<SaleInBooks>);
    expect((await compare([row], [order('a')])).found).toEqual([]);
  });
});

it.each<[string, object, string]>([
  ['a generator function that was not called', { sales: () => [] }, '"sales" must be an iterable'],
  ['sales whose iterator is none', { sales: { [Symbol.iterator]: 5 } }, '"sales" must be an'],
  ['sales that are no list', { sales: 5 }, '"sales" must be an iterable'],
  ['an option that does not exist', { sale: [] }, '"sale" is not an option; the options are sales'],
  ['no begin', { from: undefined }, '"from" is required and must be a Date'],
  ['a grace that is a text', { graceMs: '15' }, '"graceMs" must be a number'],
  ['a flag that is a text', { settlements: 'yes' }, '"settlements" must be true or false'],
  ['a window of Unix seconds', { from: nowMs / 1_000 }, '"from" must be a Date'],
  ['an end in Unix seconds', { to: nowMs / 1_000 }, '"to" must be a Date'],
  ['a window without length', { to: fromMs }, '"from" must be before'],
  ['a begin in the future', { from: nowMs + dayMs }, '"from" must be before'],
  ['a begin that is no date', { from: new Date(Number.NaN) }, '"from" must be a Date'],
  ['a negative grace', { graceMs: -1 }, '"graceMs"'],
  ['an endless time of a status', { stuckAfterMs: Number.POSITIVE_INFINITY }, '"stuckAfterMs"'],
  ['no time of a status', { stuckAfterMs: 0 }, '"stuckAfterMs"'],
])('throws at once for %s', (_what, change, message) => {
  const list = new OrderList([]);
  const books = { sales: [], from: fromMs, ...change } as BooksToReconcile;
  const begin = () => clientOf(list.fetch).orders.reconcile(books);
  expect(begin).toThrow(InvalidRequestError);
  expect(begin).toThrow(message);
  expect(list.requests).toBe(0);
});

it('a list of several pages is read to its end although the clock is set ahead meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
  onTestFinished(() => void vi.useRealTimers());
  const names = Array.from({ length: 2 * pageSize }, (_, index) => `name-${index}`);
  const list = new OrderList(names.map((name) => order(name)));
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'of these tests',
    fetch: (...request) => {
      vi.setSystemTime(Date.now() + 3_600_000);
      return list.fetch(...request);
    },
  });
  const sales = names.map((name) => sale(name));
  expect(await market.orders.reconcile({ sales, from: fromMs }).toArray()).toEqual([]);
});

describe('a moment in the books', () => {
  const rowOf = async (changes: object) =>
    (await compare([sale('a', changes)], [order('a')])).found[0];

  it.each([
    ...['2026-11-20 12:00:00', '2026-11-20T12:00:00', '05.11.2026', '11/05/2026', '2026-11-20'],
    ...['2026-02-30T12:00:00Z', '2026-11-20T12:00:00+99:99', '1763640000', ''],
    ...[(nowMs - dayMs) * 1_000, new Date((nowMs - dayMs) * 1_000)],
    ...[BigInt(nowMs - dayMs) as unknown as number, new Date(Number.NaN)],
  ])('%s is refused by name', async (startedAt) => {
    expect(await rowOf({ startedAt })).toBe('not_checkable a');
    expect(await rowOf({ refundedAt: startedAt })).toBe('not_checkable a');
  });

  it.each([
    ...['2026-11-20T12:00:00Z', '2026-11-20T12:00Z', '2026-11-20T13:00:00.000+01:00'],
    ...[new Date(nowMs - dayMs), runInNewContext(`new Date(${nowMs - dayMs})`) as Date],
    ...[nowMs - dayMs],
  ])('%s is read', async (startedAt) => {
    expect(await rowOf({ startedAt })).toBeUndefined();
  });

  const from = nowMs - dayMs;

  it.each<[string, Partial<SaleInBooks>, hidden?: string]>([
    ['of quite another day', { startedAt: '2026-05-11T08:00:00Z' }],
    ['of another day, of an open sale', { startedAt: '2026-05-11T08:00:00Z', state: 'open' }],
    ['of another zone', { startedAt: from - 2 * 3_600_000 }],
    ['that is yet to come', { startedAt: nowMs + 3_600_000 }],
    ['whose order has no time', { startedAt: from - dayMs }, 'created_at'],
    ['whose order has no reference', { startedAt: from - dayMs }, 'external_payment_ref'],
  ])('%s leaves no run green that compared nothing', async (_what, changes, hidden = '') => {
    const list = new OrderList([order('a')], [], { hidden: [hidden] });
    const { findings, summary } = await compare([sale('a', changes)], list, { from });
    expect(summary.sales).toBe(0);
    expect(findings.map(({ kind, message }) => [kind, message])).toEqual([
      ['not_checkable', expect.stringContaining('Check "startedAt" of the books')],
    ]);
  });

  it('just before the window, with an order in it, is the window before', async () => {
    const early = sale('a', { startedAt: from - minuteMs });
    const { found } = await compare([early], [order('a')], { from });
    expect(found).toEqual([]);
  });
});
