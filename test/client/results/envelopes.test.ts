import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { Page, UnexpectedResponseError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';

const items = [{ public_id: 'ord_1' }, { public_id: 'ord_2' }];

const firstPage = (body: unknown) =>
  mockMarket(() => HttpResponse.json(body as object), {
    validateResponses: 'off',
  }).market.orders.list();

describe('the items of a page', () => {
  it.each<[string, unknown]>([
    ['a bare array', items],
    ['named after what it is of', { orders: items }],
    ['data', { data: items }],
    ['items, beside others', { items, warnings: [] }],
    ['results, beside others', { results: items, facets: [] }],
    ['list, beside others', { list: items, x: [] }],
    ['records, beside others', { records: items, x: [] }],
    ['nested: data.orders', { data: { orders: items, x: [] } }],
    ['nested: data.items', { data: { items, next_cursor: null } }],
    ['nested: orders.items', { orders: { items } }],
    ['nested: the only array of data', { data: { found: items } }],
    ['the only array, under any name', { gekauft: items, count: 2 }],
    ['its own name beside other arrays', { errors: [], orders: items, data: [1] }],
    ['a general name beside other arrays', { data: items, warnings: [], links: [] }],
  ])('are found in %s', async (_title, body) => {
    const page = await firstPage(body);
    expect(page).toBeInstanceOf(Page);
    expect(page.items).toEqual(items);
    expect(page.body).toEqual(body);
    expect(page.hasNextPage()).toBe(false);
  });

  it('of the event history are found in "events"', async () => {
    const events = [{ id: 'evt_1', type: 'order.settled', created_at: 'x', data: {} }];
    const { market } = mockMarket(() => ({ events, next_cursor: 'evt_1' }));
    expect((await market.events.list()).items).toEqual(events);
  });

  it.each<[string, unknown]>([
    ['two arrays of unknown names', { first: items, second: items }],
    ['an array two levels below', { data: { data: { orders: items } } }],
    ['an array below an unknown name', { found: { orders: items } }],
    ['no array', { message: 'hello' }],
    ['null in its place', { orders: null, total: 0 }],
    ['a record where the list should be', { orders: { public_id: 'ord_1' } }],
    ['an empty object', {}],
    ['null', null],
    ['a number', 5],
    ['a text', 'orders'],
  ])('are not guessed from %s', async (_title, body) => {
    const error = await rejectionOf(firstPage(body));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('JSON that holds no list');
    expect(error).toMatchObject({ method: 'GET', path: '/api/partner/v1/orders', attempts: 1 });
    expect(error).toMatchObject({ response: { status: 200 } });
  });
});

describe('the cursor of a page', () => {
  it.each<[string, object, string?]>([
    ['beside the list', { next_cursor: 'c2' }],
    ['beside the list in camelCase', { nextCursor: 'c2' }],
    ['beside the list, a number', { next_cursor: 0 }, '0'],
    ['in pagination', { pagination: { next_cursor: 'c2' } }],
    ['in paging', { paging: { next_cursor: 'c2' } }],
    ['in meta', { meta: { next_cursor: 'c2', total: 5 } }],
    ['in meta, beside a null', { next_cursor: null, meta: { next_cursor: 'c2' } }],
    ['in page', { page: { nextCursor: 'c2' } }],
    ['in page_info', { page_info: { next_cursor: 'c2' } }],
  ])('is found %s, and sent for the next page', async (_title, beside, cursor = 'c2') => {
    const { market, sent } = mockMarket(
      (_request, count) => ({ orders: items.slice(0, count), ...(count === 1 ? beside : {}) }),
      { validateResponses: 'off' },
    );
    const page = await market.orders.list({ status: 'SETTLED', limit: 2 });
    expect(page.nextCursor).toBe(cursor);
    expect(page.hasNextPage()).toBe(true);
    const next = await page.nextPage();
    expect(next.hasNextPage()).toBe(false);
    expect(sent.map(({ target }) => target)).toEqual([
      '/api/partner/v1/orders?limit=2&status=SETTLED',
      `/api/partner/v1/orders?cursor=${cursor}&limit=2&status=SETTLED`,
    ]);
  });

  it('is found in data, next to the list that is in it', async () => {
    const page = await firstPage({ data: { orders: items, next_cursor: 'c2' } });
    expect(page.nextCursor).toBe('c2');
  });

  it.each<[object, boolean]>([
    [{ next_cursor: null }, false],
    [{ next_cursor: '' }, false],
    [{ next_cursor: {} }, false],
    [{ meta: 'next_cursor' }, false],
    [{ next_cursor: true }, true],
  ])('is none in %j, which says that there is more: %s', async (beside, more) => {
    const page = await firstPage({ orders: items, ...beside });
    expect(page.nextCursor).toBeUndefined();
    expect(page.hasNextPage()).toBe(more);
  });

  it('of the event history goes into after_id', async () => {
    const { market, sent } = mockMarket(
      (_request, count) => ({ events: [{ count }], next_cursor: `evt_${count}` }),
      { validateResponses: 'off' },
    );
    const page = await market.events.list({ after_id: 'evt_0', limit: 1 });
    await page.nextPage();
    expect(sent.map(({ target }) => target)).toEqual([
      '/api/partner/v1/events?after_id=evt_0&limit=1',
      '/api/partner/v1/events?after_id=evt_1&limit=1',
    ]);
  });

  it('is encoded as it is signed, whatever is in it', async () => {
    const { market, sent } = mockMarket(
      (_request, count) => ({ orders: [], next_cursor: count === 1 ? "a+b/c=='*é" : null }),
      { validateResponses: 'off' },
    );
    const page = await market.orders.list();
    await page.nextPage();
    expect(sent[1]?.target).toBe('/api/partner/v1/orders?cursor=a%2Bb%2Fc%3D%3D%27%2A%C3%A9');
  });
});

describe('what comes with a list', () => {
  const totals = { gmv_cents: 900, commission_cents: 90, currency: 'USD' };

  it.each<[unknown, unknown]>([
    [{ data: [], totals }, totals],
    [{ data: [], total: totals }, totals],
    [{ data: [], meta: { totals } }, totals],
    [{ data: [], total: 9, meta: { totals } }, totals],
    [{ data: [], summary: { totals } }, totals],
    [{ data: { transactions: [], totals } }, totals],
    [{ data: [{ totals }] }, undefined],
    [{ data: [], totals: 900 }, undefined],
    [[], undefined],
  ])('are the totals of the transactions, in each known place: %j', async (body, expected) => {
    const { market } = mockMarket(() => HttpResponse.json(body as object));
    expect((await market.orders.listTransactions()).totals).toEqual(expected);
  });

  const entries = [{ running_balance_cents: 5 }, { running_balance_cents: 12 }];
  it.each<[unknown, number | undefined]>([
    [{ data: entries, running_balance_cents: 40 }, 40],
    [{ data: entries, running_balance_cents: 0 }, 0],
    [{ data: entries, balance_cents: 0 }, 0],
    [{ data: entries, meta: { balance: -3 } }, -3],
    [{ data: entries }, undefined],
    [entries, undefined],
    [{ data: [] }, undefined],
    [{ data: entries, running_balance_cents: '40' }, undefined],
    [{ data: entries, running_balance_cents: 40.5 }, undefined],
  ])('is the running balance, and never that of an entry: %j', async (body, expected) => {
    const { market } = mockMarket(() => HttpResponse.json(body as object));
    expect((await market.referral.listCommissions()).runningBalance).toBe(expected);
  });

  it('is there on every page, not on the first alone', async () => {
    const { market } = mockMarket((_request, count) => ({
      data: [{ public_id: `ord_${count}` }],
      totals: { gmv_cents: count },
      next_cursor: count < 3 ? `c${count}` : null,
    }));
    const seen = [];
    for await (const page of market.orders.listTransactions().pages()) {
      seen.push(page.totals?.gmv_cents);
    }
    expect(seen).toEqual([1, 2, 3]);
  });
});
