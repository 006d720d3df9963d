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
  const envelopes: readonly [string, unknown][] = [
    ['a bare array', items],
    ['named after what it is of', { orders: items }],
    ['data', { data: items }],
    ['items', { items }],
    ['results', { results: items }],
    ['nested: data.orders', { data: { orders: items } }],
    ['nested: data.items', { data: { items, next_cursor: null } }],
    ['the only array, under any name', { gekauft: items, count: 2 }],
    ['its own name beside other arrays', { orders: items, warnings: [] }],
    ['a general name beside other arrays', { data: items, warnings: [], links: [] }],
  ];

  for (const [title, body] of envelopes) {
    it(`are found in ${title}`, async () => {
      const page = await firstPage(body);
      expect(page).toBeInstanceOf(Page);
      expect(page.items).toEqual(items);
      expect(page.body).toEqual(body);
      expect(page.hasNextPage()).toBe(false);
    });
  }

  it('of the event history are found in "events"', async () => {
    const events = [{ id: 'evt_1', type: 'order.settled', created_at: 'x', data: {} }];
    const { market } = mockMarket(() => ({ events, next_cursor: 'evt_1' }));
    expect((await market.events.list()).items).toEqual(events);
  });

  const strangers: readonly [string, unknown][] = [
    ['two arrays of unknown names', { first: items, second: items }],
    ['no array', { message: 'hello' }],
    ['a record where the list should be', { orders: { public_id: 'ord_1' } }],
    ['null', null],
    ['a number', 5],
    ['a text', 'orders'],
  ];

  for (const [title, body] of strangers) {
    it(`are not guessed from ${title}`, async () => {
      const error = await rejectionOf(firstPage(body));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toContain('JSON that holds no list');
      expect(error).toMatchObject({
        method: 'GET',
        path: '/api/partner/v1/orders',
        response: { status: 200 },
        attempts: 1,
      });
    });
  }
});

describe('the cursor of a page', () => {
  const places: readonly [string, object][] = [
    ['beside the list', { next_cursor: 'c2' }],
    ['beside the list in camelCase', { nextCursor: 'c2' }],
    ['in pagination', { pagination: { next_cursor: 'c2' } }],
    ['in paging', { paging: { next_cursor: 'c2' } }],
    ['in meta', { meta: { next_cursor: 'c2', total: 5 } }],
    ['in page', { page: { nextCursor: 'c2' } }],
    ['in page_info', { page_info: { next_cursor: 'c2' } }],
  ];

  for (const [title, beside] of places) {
    it(`is found ${title}, and sent for the next page`, async () => {
      const { market, sent } = mockMarket(
        (_request, count) => ({ orders: items.slice(0, count), ...(count === 1 ? beside : {}) }),
        { validateResponses: 'off' },
      );
      const page = await market.orders.list({ status: 'SETTLED', limit: 2 });
      expect(page.nextCursor).toBe('c2');
      expect(page.hasNextPage()).toBe(true);
      const next = await page.nextPage();
      expect(next.hasNextPage()).toBe(false);
      expect(sent.map(({ target }) => target)).toEqual([
        '/api/partner/v1/orders?limit=2&status=SETTLED',
        '/api/partner/v1/orders?cursor=c2&limit=2&status=SETTLED',
      ]);
    });
  }

  it('is found in data, next to the list that is in it', async () => {
    const page = await firstPage({ data: { orders: items, next_cursor: 'c2' } });
    expect(page.nextCursor).toBe('c2');
  });

  it('may be a number', async () => {
    expect((await firstPage({ orders: items, next_cursor: 0 })).nextCursor).toBe('0');
  });

  it('is none where it is null or empty', async () => {
    for (const next_cursor of [null, '', {}]) {
      const page = await firstPage({ orders: items, next_cursor });
      expect(page.nextCursor).toBeUndefined();
      expect(page.hasNextPage()).toBe(false);
    }
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

  it('are the totals of the transactions, in each known place', async () => {
    const sums: readonly [unknown, unknown][] = [
      [{ data: [], totals }, totals],
      [{ data: [], meta: { totals } }, totals],
      [{ data: [], summary: { totals } }, totals],
      [{ data: { transactions: [], totals } }, totals],
      [{ data: [], totals: 900 }, undefined],
      [[], undefined],
    ];
    for (const [body, expected] of sums) {
      const { market } = mockMarket(() => HttpResponse.json(body as object));
      expect((await market.orders.listTransactions()).totals).toEqual(expected);
    }
  });

  it('is the running balance of the commissions, and never that of an entry', async () => {
    const entries = [{ running_balance_cents: 5 }, { running_balance_cents: 12 }];
    const balances: readonly [unknown, number | undefined][] = [
      [{ data: entries, running_balance_cents: 40 }, 40],
      [{ data: entries, running_balance_cents: 0 }, 0],
      [{ data: entries, meta: { balance: -3 } }, -3],
      [{ data: entries }, undefined],
      [entries, undefined],
      [{ data: [] }, undefined],
      [{ data: entries, running_balance_cents: '40' }, undefined],
      [{ data: entries, running_balance_cents: 40.5 }, undefined],
    ];
    for (const [body, expected] of balances) {
      const { market } = mockMarket(() => HttpResponse.json(body as object));
      expect((await market.referral.listCommissions()).runningBalance).toBe(expected);
    }
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
