/** What a response and an order say of a refund. */

import { describe, expect, it } from 'vitest';
import type { OrderDetail } from 'market-partner-sdk';
import {
  isDeniedFor,
  judgeRefund,
  readReceipt,
  readReceived,
} from '../../../src/client/sale/judge-refund.js';

const answered = (status: number, more: object = {}) =>
  Object.assign(new Error('answered'), { response: { status }, outcome: 'unknown', ...more });
const refused = (status: number, code: string) => answered(status, { code, outcome: 'rejected' });

describe('judgeRefund', () => {
  it.each<[Partial<OrderDetail>, string | undefined]>([
    [{ status: 'REFUNDED' }, 'refunded'],
    [{ status: 'CANCELLED' }, 'refunded'],
    [{ status: 'EXTERNALLY_PAID' }, undefined],
    [{ status: 'TRANSFER_COMPLETED' }, 'too_late'],
    [{ status: 'SETTLED', timeline: [{ event: 'order.refunded' }] }, 'refunded'],
    [{ timeline: [{ event: 'order.refunded' }] }, undefined],
    [{}, undefined],
  ])('of %j', (order, expected) => {
    expect(judgeRefund(order)).toBe(expected);
  });
});

describe('readReceived', () => {
  it.each<[unknown, object]>([
    [{ status: 'REFUNDED' }, {}],
    [{ status: 'failed' }, { denied: 'failed' }],
    [{ status: 'ok', state: 'rejected' }, { denied: 'rejected' }],
    [{ status: `denied ${'x'.repeat(200)}` }, { denied: `denied ${'x'.repeat(93)}` }],
    [{ status: 7 }, {}],
    [undefined, {}],
    ['failed', {}],
  ])('of %j', (refund, expected) => {
    expect(readReceived(refund)).toEqual(expected);
  });
});

describe('readReceipt', () => {
  const failed = { refund_id: 'rf_1', status: 'failed' };
  it.each<[string, unknown, object | undefined]>([
    ['201 without a body', answered(201, { body: '' }), {}],
    ['204', answered(204), {}],
    ['299 without a body', answered(299, { body: null }), {}],
    ['200 without a body, as proxies have it', answered(200, { body: '' }), undefined],
    ['199 without a body', answered(199), undefined],
    ['300 without a body', answered(300), undefined],
    ['no response', new Error('lost'), undefined],
    ['a status that is no number', { response: { status: '201' }, body: '' }, undefined],
    ['a record that failed', answered(200, { body: failed }), { denied: 'failed' }],
    ['the same in an envelope', answered(200, { body: { data: failed } }), { denied: 'failed' }],
    ['a record that does not say', answered(200, { body: { id: 'rf_1' } }), undefined],
    ['no record: a gateway', answered(200, { body: { status: 'error' } }), undefined],
    ['a page', answered(200, { body: '<html>' }), undefined],
    ['201 with a page', answered(201, { body: '<html>' }), undefined],
    ['a refund that is under way', refused(409, 'refund_in_progress'), {}],
    ['one that exists', refused(422, 'already_refunded'), {}],
    ['another refusal', refused(422, 'not_refundable'), undefined],
    ['one in doubt', answered(409, { code: 'refund_in_progress' }), undefined],
  ])('%s', (_name, error, expected) => {
    expect(readReceipt(error)).toEqual(expected);
  });
});

describe('isDeniedFor', () => {
  it.each<[string, string | undefined, boolean]>([
    ['EXTERNALLY_PAID', 'failed', true],
    ['REFUND_PENDING', 'failed', false],
    ['EXTERNALLY_PAID', undefined, false],
  ])('an order that is %s, and the word %s', (status, denied, expected) => {
    expect(isDeniedFor({ status } as OrderDetail, { denied })).toBe(expected);
  });
});
