import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findSiblingField,
  findRequestId,
  hasReached,
  isFinal,
  isHeldForReview,
  defaultPlaces,
} from '../../src/client/assumptions.js';
import { readErrorBody } from '../../src/client/envelope/error-body.js';
import { findList, provesAbsence } from '../../src/client/envelope/find-list.js';
import { findNextPage } from '../../src/client/envelope/next-page.js';
import { unwrapRecord } from '../../src/client/envelope/unwrap-record.js';

const list = [{ id: 1 }];

describe('an empty list of orders', () => {
  it.each<[string, unknown, boolean]>([
    ['under the noun', { orders: [] }, true],
    ['under "data", with a cursor', { data: [], next_cursor: null }, true],
    ['under "items"', { items: [] }, true],
    ['one level below "data"', { data: { orders: [] } }, true],
    ['one level below the noun', { orders: { data: [] } }, true],
    ['bare', [], false],
    ['under another name', { found: [] }, false],
    ['below another name', { found: { orders: [] } }, false],
    ['two levels below', { data: { data: { orders: [] } } }, false],
    ['beside a code', { code: 'x', data: [] }, false],
    ['beside a message', { message: 'back soon', data: [] }, false],
    ['beside an error', { error: 'Bad Gateway', data: [] }, false],
    ['in no object', 'no', false],
    ['in null', null, false],
  ])('%s', (_what, body, expected) => {
    expect(provesAbsence(body, 'orders')).toBe(expected);
  });
});

describe('the list in an answer', () => {
  it.each<[string, unknown, unknown]>([
    ['a bare array', list, list],
    ['an empty one', [], []],
    ['under the noun', { orders: list }, list],
    ['under the noun, beside others', { errors: [], orders: list, data: [1] }, list],
    ['under "data"', { data: list, errors: [] }, list],
    ['under "items"', { items: list, warnings: [] }, list],
    ['under "results"', { results: list, facets: [] }, list],
    ['under "list"', { list, x: [] }, list],
    ['under "records"', { records: list, x: [] }, list],
    ['one level below "data", under the noun', { data: { orders: list, x: [] } }, list],
    ['one level below the noun', { orders: { items: list } }, list],
    ['one level below "data", as the only array', { data: { found: list } }, list],
    ['as the only array, of any name', { total: 1, found: list }, list],
    ['two arrays of unknown names', { found: list, others: list }, undefined],
    ['two levels below', { data: { data: { orders: list } } }, undefined],
    ['below an unknown name', { found: { orders: list } }, undefined],
    ['no array', { orders: null, total: 0 }, undefined],
    ['an empty object', {}, undefined],
    ['null', null, undefined],
    ['a text', 'orders', undefined],
    ['nothing', undefined, undefined],
  ])('%s', (_title, body, expected) => {
    expect(findList(body, 'orders')).toEqual(expected);
  });

  it('does not take an envelope of a hundred thousand levels to be one', () => {
    const depth = 100_000;
    const body: unknown = JSON.parse(`${'{"data":'.repeat(depth)}[]${'}'.repeat(depth)}`);
    expect(findList(body, 'orders')).toBeUndefined();
  });
});

describe('the next cursor', () => {
  it.each<[string, unknown, string | undefined]>([
    ['beside the list', { orders: [], next_cursor: 'c2' }, 'c2'],
    ['in camel case', { nextCursor: 'c2' }, 'c2'],
    ['a number', { next_cursor: 42 }, '42'],
    ['the number 0', { next_cursor: 0 }, '0'],
    ...['pagination', 'paging', 'meta', 'page', 'page_info', 'data'].map(
      (holder): [string, unknown, string] => [
        `in ${holder}`,
        { [holder]: { next_cursor: 'c2' } },
        'c2',
      ],
    ),
    [
      'null beside the list, but one in "meta"',
      { next_cursor: null, meta: { next_cursor: 'c2' } },
      'c2',
    ],
    ['null', { next_cursor: null }, undefined],
    ['empty', { next_cursor: '' }, undefined],
    ['a boolean', { next_cursor: true }, undefined],
    ['an object', { next_cursor: { id: 1 } }, undefined],
    ['in a holder that is no object', { meta: 'next_cursor', page: 2 }, undefined],
    ['of a bare array', [{ next_cursor: 'c2' }], undefined],
    ['of null', null, undefined],
  ])('%s', (_title, body, expected) => {
    const page = {
      body,
      items: [],
      headers: {},
      path: '/orders',
      query: '',
      cursorParam: 'cursor',
    };
    expect(findNextPage({ ...page, sent: undefined }).position).toBe(expected);
  });
});

describe('a value next to the list', () => {
  const { totals: totalsNames, runningBalance: runningBalanceNames } = defaultPlaces.lists;
  const totals = { gmv_cents: 5 };
  it.each<[string, unknown, readonly string[], unknown]>([
    ['at the top', { totals }, totalsNames, totals],
    ['under the second name', { total: totals }, totalsNames, totals],
    ['in "meta"', { meta: { totals } }, totalsNames, totals],
    ['in "summary"', { summary: { totals } }, totalsNames, totals],
    ['in "data"', { data: { totals, transactions: [] } }, totalsNames, totals],
    [
      'in "meta", with a mere count at the top',
      { total: 9, meta: { totals } },
      totalsNames,
      totals,
    ],
    ['in "data", where that is a list', { data: [{ totals }] }, totalsNames, undefined],
    ['a balance', { running_balance_cents: 7 }, runningBalanceNames, 7],
    ['a balance of nothing', { balance_cents: 0 }, runningBalanceNames, 0],
    ['null', { totals: null }, totalsNames, null],
    ['not there', { transactions: [] }, totalsNames, undefined],
    ['of a bare array', [totals], totalsNames, undefined],
    ['of nothing', undefined, totalsNames, undefined],
  ])('%s', (_title, body, names, expected) => {
    expect(findSiblingField(body, names)).toBe(expected);
  });
});

describe('a record in an envelope', () => {
  const order = { public_id: 'ord_1' };

  const whole = { ...order, status: 'SETTLED' };

  it.each<[string, unknown, unknown?]>([
    ['under its noun', { order }],
    ['under "data", next to what is not a record', { data: order, ok: true, errors: [] }],
    ['two levels deep', { data: { order: whole }, meta: { status: 'ok' } }, whole],
    ['beside another record', { data: order, meta: { request_id: 'req_1' } }],
    ['beside a like name of the envelope', { status: 'ok', order: whole }, whole],
    ['whatever its fields are called', { result: { id: 1 }, request_id: 'r' }, { id: 1 }],
    ['three levels deep', { data: { result: { order } } }],
    ['as an only member of any name', { found: order }],
    ['beside a timeline of its own', { order, timeline: [] }],
  ])('is unwrapped: %s', (_title, body, record = order) => {
    expect(unwrapRecord(body, 'order')).toEqual(record);
  });

  it.each<[string, unknown]>([
    ['a bare record', order],
    ['one that holds a like one', { ...order, previous: order }],
    ['two like records', { a: order, b: order }],
    ['beside fields of the record itself', { ...order, data: { public_id: 'ord_2' } }],
    ['beside what is no word of an envelope', { data: order, color: 'red' }],
    ['under another noun, beside words of an envelope', { quote: order, ok: true }],
    ['an array', [order]],
    ['null', null],
    ['a text', 'ord_1'],
  ])('is left as it is: %s', (_title, body) => {
    expect(unwrapRecord(body, 'order')).toBe(body);
  });
});

describe('the body of an error', () => {
  const code = 'price_mismatch';
  const message = 'The price is 300 now.';
  it.each<[string, unknown, object]>([
    ['{code, message}', { code, message }, { code, message }],
    ['{error: {code, message}}', { error: { code, message } }, { code, message }],
    ['{error, message}', { error: code, message }, { code, message }],
    ['{error}', { error: code }, { code }],
    ['{error, code}', { error: 'Bad Request', code, message }, { code, message }],
    ['a sentence as error is no code', { error: 'Bad Request' }, { message: 'Bad Request' }],
    ['a sentence beside a message', { error: 'Bad Request', message }, { message }],
    ['{error: {message}, code}', { error: { message }, code }, { code, message }],
    ['{error: {code}, message}', { error: { code }, message }, { code, message }],
    ['the request id', { code, request_id: 'req_1' }, { code, requestId: 'req_1' }],
    [
      'the request id inside',
      { error: { code, request_id: 'req_1' } },
      { code, requestId: 'req_1' },
    ],
    ['a code that is a number', { code: 422, message }, { message }],
    ['empty texts', { code: '', message: '', error: '' }, {}],
    ['a message that is a list', { code, message: ['a', 'b'] }, { code }],
    ['an empty object', {}, {}],
    ['an array', [{ code }], {}],
    ['null', null, {}],
    ['a text', code, {}],
    ['nothing', undefined, {}],
  ])('%s', (_title, body, expected) => {
    const nothing = { code: undefined, message: undefined, requestId: undefined };
    expect({ ...nothing, ...readErrorBody(body) }).toEqual({ ...nothing, ...expected });
  });

  it('gives texts or nothing for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        for (const value of Object.values(readErrorBody(body))) {
          expect(['string', 'undefined']).toContain(typeof value);
        }
      }),
    );
  });
});

describe('the request id of the headers', () => {
  it('is the first of those that are known', () => {
    expect(findRequestId({ 'x-correlation-id': 'b', 'x-request-id': 'a' })).toBe('a');
    expect(findRequestId({ 'x-correlation-id': 'b' })).toBe('b');
    expect(findRequestId({ date: 'x' })).toBeUndefined();
  });
});

const milestones = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'];

describe('a status', () => {
  it.each(
    milestones.flatMap((status, at) => milestones.map((goal, to) => ({ status, goal, at, to }))),
  )('$status has reached $goal only if it is not before it', ({ status, goal, at, to }) => {
    expect(hasReached(status, goal)).toBe(at >= to);
  });

  it('of an unknown name has reached itself and nothing else', () => {
    expect(hasReached('REFUNDED', 'REFUNDED')).toBe(true);
    for (const milestone of milestones) {
      expect(hasReached('REFUNDED', milestone)).toBe(false);
      expect(hasReached(milestone, 'REFUNDED')).toBe(false);
    }
  });

  it.each([
    'MANUAL_REVIEW',
    'HELD_FOR_REVIEW',
    'ON_HOLD',
    'HELD',
    'manual_review',
    'REVIEW_PENDING',
  ])('%s is a hold', (status) => {
    expect(isHeldForReview(status)).toBe(true);
  });

  it.each([
    ...milestones,
    'REFUNDED',
    'MANUAL_REVIEW_CLEARED',
    'REVIEWED',
    'PREVIEW',
    'HOUSEHOLD',
    '',
  ])('%j is no hold', (status) => {
    expect(isHeldForReview(status)).toBe(false);
  });

  it.each(['SETTLED', 'REFUNDED', 'CANCELLED', 'CANCELED', 'refunded', 'ORDER_CANCELLED'])(
    '%s is final',
    (status) => {
      expect(isFinal(status)).toBe(true);
    },
  );

  it.each([...milestones.slice(0, 3), 'MANUAL_REVIEW', 'REFUND_REQUESTED', 'UNSETTLED', ''])(
    '%j is not final',
    (status) => {
      expect(isFinal(status)).toBe(false);
    },
  );
});
