/** A key of a profile is exact: a response that contradicts it is an error that names it, and never half an answer. */

import { describe, expect, it } from 'vitest';
import {
  UnexpectedResponseError,
  type MarketClient,
  type MarketError,
  type Profile,
} from 'market-partner-sdk';
import { json, orders, recorded } from '../../faults/deviations/deviating-service.js';
import { rejectionOf } from '../../support/errors.js';

type Keys = Omit<Profile, 'version'>;

const at = (body: unknown, keys: Keys) =>
  recorded(() => (body instanceof Response ? body.clone() : body), {
    profile: { version: 1, ...keys },
    maxRetries: 0,
  });

const order = { public_id: 'ord_1', domain: 'a.example', status: 'SETTLED', currency: 'USD' };
const list = (market: MarketClient) => market.orders.list().toArray();
const get = (market: MarketClient) => market.orders.get('ord_1');
const quote = (market: MarketClient) => market.orders.quote({ domain: 'a.example' });

type Call = (market: MarketClient) => Promise<unknown>;
const next: Keys = { paging: { by: 'cursor', next: 'next' } };
const last: Keys = { paging: { by: 'last', param: 'after', id: 'order_id', more: 'more' } };
const exceptOrders: Keys = { lists: { items: 'data', except: { orders: { items: '{noun}' } } } };
const exceptDetail: Keys = { records: { at: 'data', except: { detail: ['the.order'] } } };
const expiresIn: Keys = { fields: { quote: { expires_at: { in: 'expires_in' } } } };

// One row a line, however long: it is a table.
// prettier-ignore
const contradictions: [key: string, what: string, keys: Keys, body: unknown, call: Call][] = [
  ['lists.items', 'another list alone', { lists: { items: 'data' } }, { orders }, list],
  ['lists.items', 'null', { lists: { items: ['data', 'more'] } }, { data: null }, list],
  ['lists.items', 'an object', { lists: { items: 'data', empty: ['null'] } }, { data: {} }, list],
  ['lists.items', 'the exception', exceptOrders, { data: orders }, list],
  ['lists.item', 'no record in an item', { lists: { item: 'attributes' } }, { data: orders }, list],
  ['paging.next', 'an object', next, page({ next: {} }), list],
  ['paging.next', 'a fraction', next, page({ next: 1.5 }), list],
  ['paging.next', 'no end', { paging: { by: 'cursor', next: 'next', end: ['null'] } }, page({}), list],
  ['paging.more', 'a text', { paging: { by: 'page', more: 'more' } }, page({ more: 'yes' }), list],
  ['paging.pages', 'absent', { paging: { by: 'page', pages: 'pages' } }, page({}), list],
  ['paging.total', 'a text', { paging: { by: 'offset', total: 'sum' } }, page({ sum: '9' }), list],
  ['paging.id', 'absent', last, page({ more: true }), list],
  ['records.at', 'absent', { records: { at: 'data' } }, order, get],
  ['records.at', 'another noun', { records: { at: '{noun}' } }, { detail: order }, get],
  ['records.at', 'the exception', exceptDetail, { data: order }, get],
  ['fields.detail.status', 'two values', { fields: { detail: { status: 'state' } } }, { ...order, state: 'CANCELLED' }, get],
  ['fields.quote.expires_at', 'a text', expiresIn, { quote_id: 'q', expires_in: 'soon' }, quote],
  ['amounts', 'a number for a text', { amounts: { form: 'text' } }, priced(1), get],
  ['amounts', 'a text for a number', { amounts: { form: 'integer' } }, priced('1'), get],
  ['amounts', 'a number for an object', { amounts: { form: 'object' } }, priced(1), get],
  ['amounts', 'an object without an amount', { amounts: { form: 'object' } }, priced({ value: 1 }), get],
  ['amounts', 'a fraction of a cent', { amounts: { unit: 'minor' } }, priced(1.5), get],
  ['dates', 'a number for ISO', { dates: { form: 'iso' } }, { ...order, created_at: 1 }, get],
  ['dates', 'a word', { dates: { form: 'seconds' } }, { ...order, created_at: 'today' }, get],
  ['dates', 'no moment', { dates: { form: 'milliseconds' } }, { ...order, created_at: 1e300 }, get],
  ['dates', 'a step', { dates: { form: 'seconds' } }, { ...order, timeline: [{ event: 'order.recorded', at: 'today' }] }, get],
];

function priced(sale_price_cents: unknown) {
  return { ...order, sale_price_cents };
}

function page(envelope: object) {
  return { data: orders, ...envelope };
}

it.each(contradictions)('"%s" has %s', async (key, _what, keys, body, call) => {
  const error = await rejectionOf(call(at(body, keys).market));
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error.message).toContain(`contradicts "${key}" of the profile: `);
});

describe('a list that the profile says has ended', () => {
  it.each<[string, Keys['paging'], object]>([
    ['in one page', { by: 'none' }, { has_more: true }],
    ['at an empty cursor', { by: 'cursor', next: 'next' }, { next: null, has_more: true }],
  ])('%s, while the envelope says more, is an error', async (_where, paging, envelope) => {
    const { market } = at(page(envelope), paging === undefined ? {} : { paging });
    await expect(list(market)).rejects.toThrow(/"paging" of the profile says that it ends, and/);
  });

  it('is whole by a flag of the profile, and by no word that it ignores', async () => {
    const paging = { by: 'page', more: 'more', ignore: ['total_pages'] } as const;
    const { market } = at(page({ more: false, total_pages: 9 }), { paging });
    expect(await list(market)).toEqual(orders);
  });

  it('at a cursor that repeats the one sent', async () => {
    const { market, sent } = at(page({ next: 7 }), {
      paging: { by: 'cursor', next: 'next', end: ['same'], param: 'after' },
    });
    const first = await market.orders.list();
    expect(first.nextCursor).toBe('7');
    const rest = await market.orders.list({ cursor: '7' });
    expect(rest.hasNextPage()).toBe(false);
    expect(sent.map(({ target }) => target.split('?')[1])).toEqual([undefined, 'after=7']);
  });
});

async function failureOf(market: MarketClient) {
  const { name, code } = (await rejectionOf(get(market))) as MarketError & { code?: string };
  return [name, code];
}

describe('what the profile says of an error', () => {
  it.each([
    [400, 'ValidationError', 'validation_error'],
    [403, 'ForbiddenError', 'forbidden'],
    [404, 'NotFoundError', 'not_found'],
    [409, 'ConflictError', 'conflict'],
    [422, 'ApiError', undefined],
  ])('without codes, %d is %s', async (status, name, code) => {
    const { market } = at(json({ detail: 'no' }, {}, status), {
      errors: { code: null, message: 'detail' },
    });
    expect(await failureOf(market)).toEqual([name, code]);
  });

  const codes = { GONE: 'not_found', '41': 'not_found' } as const;
  it.each<[string, Keys['errors'], object, string, string | undefined]>([
    [
      'a code of its own',
      { code: 'reason', codes },
      { reason: 'GONE' },
      'NotFoundError',
      'not_found',
    ],
    ['one in capitals', { code: 'reason' }, { reason: 'NOT_FOUND' }, 'NotFoundError', 'not_found'],
    ['a code that nobody maps', { codes }, { code: 'teapot' }, 'ApiError', 'teapot'],
    ['a number', { code: 'error.no', codes }, { error: { no: 41 } }, 'NotFoundError', 'not_found'],
    ['no code at its place', { code: 'error.code' }, { code: 'not_found' }, 'ApiError', undefined],
    ['an empty code', { code: 'code' }, { code: '', message: 'no' }, 'ApiError', undefined],
  ])('%s', async (_what, errors, body, name, code) => {
    const { market } = at(json(body, {}, 418), errors === undefined ? {} : { errors });
    expect(await failureOf(market)).toEqual([name, code]);
  });

  it('a 200 that states it is an error of its code, and any other is none', async () => {
    const keys: Keys = { errors: { in200: { at: 'ok', is: false } } };
    const refused = at({ ok: false, code: 'not_found' }, keys);
    await expect(get(refused.market)).rejects.toMatchObject({ code: 'not_found' });
    expect(await get(at({ ok: true, order }, keys).market)).toMatchObject(order);
  });
});

describe('what an order may lack', () => {
  it('is absent, and under our name where that is of something else', async () => {
    const keys: Keys = {
      fields: {
        detail: { external_payment_ref: 'metadata.ref', quote_id: null, status: 'state' },
        quote: { expires_at: { in: 'expires_in' } },
      },
      dates: { form: 'seconds' },
      amounts: { form: 'object', unit: 'major' },
    };
    const body = {
      public_id: 'ord_1',
      domain: 'a.example',
      quote_id: 'not a quote',
      created_at: '1763546400',
      updated_at: '2026-11-19T10:00:00Z',
      sale_price_cents: { amount: '2500.10', currency: 'EUR' },
      timeline: ['a note', { event: 'order.recorded' }, { status: 'SETTLED', at: 1_763_546_400 }],
    };
    expect(await get(at(body, keys).market)).toEqual({
      public_id: 'ord_1',
      domain: 'a.example',
      created_at: '2025-11-19T10:00:00.000Z',
      updated_at: '2026-11-19T10:00:00Z',
      sale_price_cents: 250_010,
      currency: 'EUR',
      timeline: [
        'a note',
        { event: 'order.recorded' },
        { status: 'SETTLED', at: '2025-11-19T10:00:00.000Z' },
      ],
    });
    const asked = at({ quote_id: 'q', expires_in: null, expires_at: 'old' }, keys);
    expect(await quote(asked.market)).toEqual({ quote_id: 'q', expires_in: null });
  });

  it('an amount that states no currency has two digits', async () => {
    const price = { public_id: 'ord_1', sale_price_cents: '-12.5' };
    const { market } = at(price, { amounts: { form: 'text', unit: 'major' } });
    expect(await get(market)).toEqual({ public_id: 'ord_1', sale_price_cents: -1_250 });
  });
});

describe('a list with cursors', () => {
  it('ends where the usual cursor ends, if the profile names no other', async () => {
    const paging = { by: 'cursor', param: 'after' } as const;
    const { market, sent } = recorded(
      ({ url }) =>
        url.includes('after=')
          ? { data: orders.slice(2), next_cursor: null }
          : { data: orders.slice(0, 2), next_cursor: 'c2' },
      { profile: { version: 1, paging } },
    );
    expect(await list(market)).toEqual(orders);
    expect(sent.at(-1)?.target).toMatch(/orders\?after=c2$/);
  });
});

describe('several places of one list', () => {
  it('are read one after the other', async () => {
    const [exact, ...related] = orders;
    const { market } = at({ exact: [exact], related }, { lists: { items: ['exact', 'related'] } });
    expect(await list(market)).toEqual(orders);
  });
});
