import { describe, expect, it } from 'vitest';
import { UnexpectedResponseError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import {
  by,
  json,
  linkTo,
  listService,
  orders,
  recorded,
  type ListForm,
} from './deviating-service.js';

const page = by('page', (number) => (number - 1) * 2);
const pageOf = (at: number) => at / 2 + 1;
const afterId = (name: string) => (query: URLSearchParams) =>
  orders.findIndex(({ public_id: id }) => id === query.get(name)) + 1;

/** Each is read to its end, with nothing lost. */
const read: readonly [string, ListForm][] = [
  [
    'Laravel: links.next',
    {
      at: page,
      body: ({ items, at, next, url }) => ({
        data: items,
        links: {
          first: linkTo(url, { page: '1' }),
          next: next === undefined ? null : linkTo(url, { page: String(pageOf(next)) }),
        },
        meta: { current_page: pageOf(at), last_page: 3, total: 5, path: url.pathname },
      }),
    },
  ],
  [
    'Django REST: next, with a slash at the end of the path',
    {
      at: page,
      body: ({ items, next, url }) => ({
        count: 5,
        next:
          next === undefined
            ? null
            : `http://inside.example${url.pathname}/?page=${String(pageOf(next))}`,
        previous: null,
        results: items,
      }),
    },
  ],
  [
    'GitHub: a bare array with a Link header',
    {
      at: page,
      body: ({ items, next, url }) =>
        json(
          items,
          next === undefined
            ? { link: `<${linkTo(url, { page: '1' })}>; rel="first"` }
            : {
                link: `<${linkTo(url, { page: '1' })}>; rel="first", <${linkTo(url, { page: String(pageOf(next)) })}>; rel="next"`,
              },
        ),
    },
  ],
  [
    'HAL: _links.next.href, relative',
    {
      at: by('offset'),
      body: ({ items, next, url }) => ({
        _embedded: { orders: items },
        _links: {
          self: { href: url.pathname },
          ...(next === undefined ? {} : { next: { href: `${url.pathname}?offset=${next}` } }),
        },
      }),
    },
  ],
  [
    'OData: @odata.nextLink',
    {
      at: by('$skiptoken'),
      body: ({ items, next, url }) => ({
        value: items,
        ...(next === undefined
          ? {}
          : { '@odata.nextLink': linkTo(url, { $skiptoken: `${next}` }) }),
      }),
    },
  ],
  [
    'GoCardless: meta.cursors.after, taken by "after"',
    {
      at: by('after'),
      body: ({ items, next }) => ({
        orders: items,
        meta: { cursors: { before: null, after: next === undefined ? null : `${next}` }, limit: 2 },
      }),
    },
  ],
  [
    'cursors.after, taken by "cursor"',
    {
      at: by('cursor'),
      body: ({ items, next }) => ({
        data: items,
        cursors: { after: next === undefined ? null : `${next}` },
      }),
    },
  ],
  [
    'Google: next_page_token, taken by "page_token"',
    {
      at: by('page_token'),
      body: ({ items, next }) => ({ orders: items, next_page_token: next?.toString() ?? '' }),
    },
  ],
  [
    'Relay: pageInfo.endCursor, which the last page has, too',
    {
      at: by('after'),
      body: ({ items, at, next }) => ({
        data: items,
        pageInfo: { hasNextPage: next !== undefined, endCursor: `${at + items.length}` },
      }),
    },
  ],
  [
    'Cloudflare: everything in "result"',
    {
      at: by('cursor'),
      body: ({ items, next }) => ({
        ok: true,
        result: { items, next_cursor: next?.toString() ?? null },
      }),
    },
  ],
  [
    '"cursor", beside "response"',
    {
      at: by('cursor'),
      body: ({ items, next }) => ({ response: items, cursor: next?.toString() ?? null }),
    },
  ],
  [
    '"cursor" that repeats the one that was sent on the last page',
    {
      at: by('cursor'),
      body: ({ items, at, next }) => ({ content: items, cursor: `${next ?? at}` }),
    },
  ],
  [
    '"next" that is a cursor',
    { at: by('cursor'), body: ({ items, next }) => ({ data: items, next: next ?? null }) },
  ],
];

describe('a list of another form is read to its end', () => {
  it.each(read)('%s', async (_form, form) => {
    const { market, warnings } = listService(form);
    expect(await market.orders.list({ status: 'SETTLED' }).toArray()).toEqual(orders);

    const read: unknown[] = [];
    for (let cursor: string | undefined; ;) {
      const one = await market.orders.list(cursor === undefined ? {} : { cursor });
      read.push(...one.items);
      if (!one.hasNextPage()) break;
      cursor = one.nextCursor;
    }
    expect(read).toEqual(orders);
    expect(warnings).toEqual([]);
  });
});

/** Each has more pages that this client cannot ask for. */
const refused: readonly [string, ListForm, RegExp][] = [
  [
    'Stripe: has_more',
    {
      at: afterId('starting_after'),
      body: ({ items, next }) => ({ object: 'list', data: items, has_more: next !== undefined }),
    },
    /has_more/,
  ],
  [
    'Spring: last, totalPages',
    {
      at: by('page', (number) => number * 2),
      body: ({ items, at, next }) => ({
        content: items,
        totalPages: 3,
        totalElements: 5,
        number: at / 2,
        last: next === undefined,
      }),
    },
    /totalPages|last/,
  ],
  [
    'a count of pages',
    { body: ({ items }) => ({ data: items, meta: { page: 1, total_pages: 3 } }) },
    /total_pages/,
  ],
  [
    'a next page by its number',
    { at: page, body: ({ items }) => ({ data: items, pagination: { next_page: 2 } }) },
    /next_page/,
  ],
  [
    'AWS: NextToken',
    { body: ({ items, next }) => ({ items, NextToken: next?.toString() }) },
    /NextToken/,
  ],
  [
    'DynamoDB: LastEvaluatedKey',
    { body: ({ items }) => ({ Items: items, LastEvaluatedKey: { public_id: 'ord_2' } }) },
    /LastEvaluatedKey/,
  ],
  [
    'Kubernetes: metadata.continue',
    { body: ({ items }) => ({ items, metadata: { continue: 'abc', remainingItemCount: 3 } }) },
    /continue/,
  ],
  ['Reddit: after', { body: ({ items }) => ({ data: items, after: 'ord_2' }) }, /after/],
  ['a flag of its own', { body: ({ items }) => ({ data: items, more_items: true }) }, /more_items/],
  [
    'a link to another path',
    { body: ({ items }) => ({ data: items, next: 'https://market.example/v2/orders?page=2' }) },
    /next/,
  ],
  [
    'a Link header to another path',
    { body: ({ items }) => json({ data: items }, { link: '</other?page=2>; rel=next' }) },
    /Link/,
  ],
  [
    'a cursor that the service takes by another name, and ignores as "cursor"',
    { at: by('after'), body: ({ items, next }) => ({ data: items, next_cursor: next ?? null }) },
    /repeats|leads back/,
  ],
  [
    'a next link that changes a filter of the call',
    {
      at: page,
      body: ({ items, url }) => ({ data: items, next: linkTo(url, { status: 'OPEN', page: '2' }) }),
    },
    /status/,
  ],
  [
    'a cursor that is a number beyond 2^53',
    {
      body: ({ items }) =>
        new Response(`{"data":${JSON.stringify(items)},"next_cursor":9007199254740993}`, {
          headers: { 'content-type': 'application/json' },
        }),
    },
    /next_cursor/,
  ],
];

describe('a list that says that there is more, and not how to read it,', () => {
  it.each(refused)('ends in an error that names what it saw: %s', async (_form, form, named) => {
    const { market } = listService(form);
    const error = await rejectionOf(market.orders.list({ status: 'SETTLED' }).toArray());
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toMatch(named);
    expect(error.message).toContain('docs/assumptions.md');
    expect(error.message).not.toContain('baseUrl');
  });

  it('gives its first page, and ends at a limit that the page holds', async () => {
    const { market } = listService({ body: ({ items }) => ({ data: items, has_more: true }) });
    const first = await market.orders.list();
    expect([first.items, first.hasNextPage()]).toEqual([orders.slice(0, 2), true]);
    expect(await market.orders.list().toArray({ limit: 2 })).toEqual(orders.slice(0, 2));
  });

  it('is never read twice: the page that repeats the one before is not given', async () => {
    const { market } = listService({
      body: ({ items, at }) => ({ data: items, next_cursor: `c${at}` }),
    });
    const given: unknown[] = [];
    const error = await rejectionOf(
      (async () => {
        for await (const order of market.orders.list()) given.push(order);
      })(),
    );
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(given).toEqual(orders.slice(0, 2));
  });
});

describe('a list that states a total above what it holds', () => {
  it('is one warning: many services count all records there', async () => {
    const { market, warnings } = recorded((request) => {
      const isLast = new URL(request.url).searchParams.has('cursor');
      return { items: orders.slice(0, 2), total: 9, next_cursor: isLast ? null : 'c' };
    });
    expect(await market.orders.list({ cursor: 'c' })).toMatchObject({ items: { length: 2 } });
    expect(warnings).toEqual([]);

    const { market: whole, warnings: lines } = recorded(() => ({ data: [orders[0]], total: 9 }));
    await whole.orders.list().toArray();
    await whole.orders.list().toArray();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/total/);
  });

  it.each(['remaining', 'remaining_items', 'remainingItemCount'])(
    'or %s is one warning too: it may be of a rate limit',
    async (name) => {
      const { market, warnings } = recorded(() => ({ data: [orders[0]], [name]: 4 }));
      expect(await market.orders.list().toArray()).toHaveLength(1);
      await market.orders.list().toArray();
      expect(warnings).toEqual([expect.stringContaining(`states ${name}: 4, and ends after 1`)]);
    },
  );
});

describe('a running balance', () => {
  it('is undefined unless it stands beside the list', async () => {
    const commissions = [
      { commission_id: 'com_2', amount_cents: 5, running_balance_cents: 40_000 },
      { commission_id: 'com_1', amount_cents: 5, running_balance_cents: 8_000 },
    ];
    const { market } = recorded(() => ({ commissions }));
    expect((await market.referral.listCommissions()).runningBalance).toBeUndefined();
    const { market: stated } = recorded(() => ({ commissions, running_balance_cents: 40_000 }));
    expect((await stated.referral.listCommissions()).runningBalance).toBe(40_000);
  });
});

describe('an event history of another form', () => {
  const event = (id: unknown) => ({
    id,
    type: 'order.settled',
    created_at: '2026-11-01T00:00:00Z',
    data: {},
  });

  it('has whole numbers for ids: they are given as text', async () => {
    const { market, warnings } = recorded(() => ({ events: [event(7)], next_cursor: 7 }));
    const { items, nextCursor } = await market.events.list({ after_id: '5' });
    expect([items[0]?.id, nextCursor, warnings]).toEqual(['7', '7', []]);
  });

  it('begins with the event that was asked to be the last one: it is dropped', async () => {
    const ids = ['evt_1', 'evt_2', 'evt_3', 'evt_4'];
    const { market } = recorded((request) => {
      const at = Math.max(0, ids.indexOf(new URL(request.url).searchParams.get('after_id') ?? ''));
      const page = ids.slice(at, at + 2);
      return { events: page.map(event), next_cursor: page.at(-1) };
    });
    const read = await market.events.list().toArray();
    expect(read.map(({ id }) => id)).toEqual(ids);
  });
});
