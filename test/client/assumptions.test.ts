import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findRequestId,
  hasReached,
  isFinal,
  isHeldForReview,
} from '../../src/client/assumptions.js';
import { readErrorBody } from '../../src/client/envelope/error-body.js';
import { findList, provesAbsence } from '../../src/client/envelope/find-list.js';
import { unwrapRecord } from '../../src/client/envelope/unwrap-record.js';

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

it('an envelope of a hundred thousand levels is not taken to be one', () => {
  const depth = 100_000;
  const body: unknown = JSON.parse(`${'{"data":'.repeat(depth)}[]${'}'.repeat(depth)}`);
  expect(findList(body, 'orders')).toBeUndefined();
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
    ['the one inside', { error: { code, request_id: 'req_1' } }, { code, requestId: 'req_1' }],
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
  it.each(milestones)('%s has reached itself and those before it', (status) => {
    const reached = milestones.filter((goal) => hasReached(status, goal));
    expect(reached).toEqual(milestones.slice(0, milestones.indexOf(status) + 1));
  });

  it('of an unknown name has reached itself and nothing else', () => {
    expect(hasReached('REFUNDED', 'REFUNDED')).toBe(true);
    for (const milestone of milestones) {
      expect(hasReached('REFUNDED', milestone)).toBe(false);
      expect(hasReached(milestone, 'REFUNDED')).toBe(false);
    }
  });

  it('is a hold by a word of it', () => {
    const held = ['MANUAL_REVIEW', 'HELD_FOR_REVIEW', 'ON_HOLD', 'HELD', 'manual_review'];
    const others = ['REFUNDED', 'MANUAL_REVIEW_CLEARED', 'REVIEWED', 'PREVIEW', 'HOUSEHOLD', ''];
    const all = [...held, 'REVIEW_PENDING', ...milestones, ...others];
    expect(all.filter(isHeldForReview)).toEqual([...held, 'REVIEW_PENDING']);
  });

  it('is final by a word of it', () => {
    const final = ['SETTLED', 'REFUNDED', 'CANCELLED', 'CANCELED', 'refunded', 'ORDER_CANCELLED'];
    const others = [
      ...milestones.slice(0, 3),
      'MANUAL_REVIEW',
      'REFUND_REQUESTED',
      'UNSETTLED',
      '',
    ];
    expect([...final, ...others].filter(isFinal)).toEqual(final);
  });
});
