/** `orders.resumeRefund`: what came of a refund whose response was lost. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  type MarketClient,
  type ResumeWriteOptions,
} from 'market-partner-sdk';
import { fault, type Fault, type MarketEmulator } from 'market-partner-sdk/testing';
import { rejectionOf } from '../../support/errors.js';
import { domain, emulateSale, price } from './emulated-sale.js';

let emulator: MarketEmulator;
let market: MarketClient;
let slept: number[];
let publicId: string;

beforeEach(async () => {
  ({ emulator, market, slept } = await emulateSale());
  ({ public_id: publicId } = await market.orders.create({ domain, expected_price: price }));
});
afterEach(() => emulator.stop());

const resume = (options?: ResumeWriteOptions) =>
  market.orders.resumeRefund(
    { input: { public_id: publicId, reason: 'buyer withdrew' }, startedAt: emulator.clock.now() },
    options,
  );
const refunds = () =>
  emulator.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/refunds'));
const answerEvents = (body: object, times?: number) =>
  emulator.faults.on(
    'GET /events',
    fault.status(200, { body }),
    times === undefined ? {} : { times },
  );
const refundedEvent = () => ({
  ...{ id: 'evt_9', type: 'order.refunded' },
  data: { order: { public_id: publicId } },
});
const answerOrder = (fields: object) =>
  emulator.faults.on(
    'GET /orders/{public_id}',
    fault.status(200, { body: { public_id: publicId, status: 'EXTERNALLY_PAID', ...fields } }),
  );

it('finds a refund whose response was lost, by the order', async () => {
  emulator.faults.next(fault.internalError({ afterWork: true }));
  const error = await rejectionOf(market.orders.refund({ public_id: publicId }));
  expect(error.message).toContain('orders.resumeRefund');
  expect(await resume()).toMatchObject({ state: 'refunded', found: 'order' });
  expect(refunds()).toHaveLength(1);
});

it('finds it by the history, where the order does not say so', async () => {
  await market.orders.refund({ public_id: publicId });
  answerOrder({});
  expect(await resume()).toMatchObject({ state: 'refunded', found: 'event' });
});

it('reads the history on where a page is empty and its cursor moved', async () => {
  await market.orders.refund({ public_id: publicId });
  answerOrder({ status: 'TRANSFER_COMPLETED' });
  answerEvents({ events: [], next_cursor: 'evt_0' }, 1);
  answerEvents({ events: [refundedEvent()], next_cursor: 'evt_9' }, 1);
  answerEvents({ events: [], next_cursor: 'evt_9' });
  expect(await resume()).toMatchObject({ state: 'refunded', found: 'event' });
  const cursors = emulator.requests
    .filter(({ path }) => path.endsWith('/events'))
    .map(({ query }) => new URLSearchParams(query).get('after_id'));
  expect(cursors).toEqual([null, 'evt_0', 'evt_9']);
});

it('finds it in a history that says that it is not whole', async () => {
  answerOrder({});
  const last = { events: [], next_cursor: 'evt_9', partial: true };
  answerEvents({ ...last, events: [refundedEvent()] }, 1);
  answerEvents(last);
  expect(await resume()).toMatchObject({ state: 'refunded', found: 'event' });
});

it('finds it by an event that has the order in its data', async () => {
  answerOrder({});
  const event = { ...refundedEvent(), data: { public_id: publicId } };
  answerEvents({ events: [event], next_cursor: null });
  expect(await resume()).toMatchObject({ state: 'refunded', found: 'event' });
});

it('is refused once the transfer is completed, and no event says otherwise', async () => {
  emulator.admin.startTransfer(publicId);
  emulator.admin.completeTransfer(publicId);
  expect(await resume({ repeat: 'accept' })).toMatchObject({
    state: 'refused',
    reason: 'too_late',
  });
  expect(refunds()).toHaveLength(0);
});

it('leaves to an operator what two look-ups do not show, and sends nothing', async () => {
  expect(await resume({ repeat: 'never' })).toMatchObject({
    state: 'attention',
    reason: 'not_visible',
    order: { public_id: publicId },
  });
  expect(slept).toEqual([3_000]);
  const reads = emulator.requests.filter(({ method }) => method === 'GET');
  // Twice: the order, a page of its history, and the page that ends it.
  expect(reads).toHaveLength(6);
  expect(refunds()).toHaveLength(0);
});

it.each<[string, object, string]>([
  ['REFUNDED', { status: 'REFUNDED' }, 'refunded'],
  ['CANCELLED', { status: 'CANCELLED' }, 'refunded'],
  ['a step of the timeline', { timeline: [{ event: 'order.refunded' }] }, 'refunded'],
  ['SETTLED', { status: 'SETTLED' }, 'refused'],
  ['a partial refund', { status: 'PARTIALLY_REFUNDED' }, 'attention'],
  ['a refund that is pending', { status: 'REFUND_PENDING' }, 'attention'],
  ['a refund that was refused', { status: 'NOT_REFUNDED' }, 'attention'],
  ['no status', { status: undefined }, 'open'],
  ['no id', { public_id: undefined }, 'open'],
  ['another id', { public_id: 'ord_other', status: 'REFUNDED' }, 'open'],
])('an order that shows %s', async (_what, fields, state) => {
  answerOrder(fields);
  expect(await resume()).toMatchObject({ state });
});

const answer = (body: unknown, headers = {}) => fault.status(200, { body, headers });
it.each<[string, Fault, string]>([
  ['the order cannot be read', fault.internalError(), 'GET /orders/{public_id}'],
  ['there is no such order', fault.status(404), 'GET /orders/{public_id}'],
  ['the history cannot be read', fault.status(403), 'GET /events'],
  ['the history is a bare list', answer([]), 'GET /events'],
  ['the history is partial', answer({ events: [], partial: true }), 'GET /events'],
  ['the history came from a cache', answer({ events: [] }, { age: '20' }), 'GET /events'],
])('stays open where %s', async (_what, each, call) => {
  emulator.faults.on(call, each);
  const resumed = await resume({ repeat: 'accept' });
  expect(resumed).toMatchObject({ state: 'open', error: { method: 'GET' } });
  expect(refunds()).toHaveLength(0);
});

it('stays open where the order came from a cache, and says how long to wait', async () => {
  const body = { public_id: publicId, status: 'SETTLED' };
  emulator.faults.next(fault.status(200, { body, headers: { 'x-cache': 'HIT' } }));
  expect(await resume()).toMatchObject({ state: 'open', retryAfterMs: undefined });
  emulator.faults.next(fault.rateLimited(7));
  expect(await resume()).toMatchObject({ state: 'open', retryAfterMs: 7_000 });
});

describe("with repeat: 'accept'", () => {
  it('sends what is not visible once more', async () => {
    expect(await resume({ repeat: 'accept' })).toMatchObject({
      state: 'refunded',
      found: 'order',
      order: { public_id: publicId },
    });
    expect(refunds()).toHaveLength(1);
    expect((await market.orders.get(publicId)).status).toBe('REFUNDED');
  });

  it.each<[string, Fault, object]>([
    [
      'is only received',
      fault.status(202, { body: { status: 'requested' } }),
      { state: 'requested', refund: { status: 'requested' }, order: { status: 'EXTERNALLY_PAID' } },
    ],
    ['gets no body', fault.status(202, { body: '' }), { state: 'requested', refund: {} }],
    ['says REFUNDED', fault.status(201, { body: { status: 'REFUNDED' } }), { state: 'requested' }],
    [
      'says that it failed',
      answer({ public_id: 'ord_1', status: 'failed' }),
      { state: 'refused', reason: 'refused', error: { method: 'POST' } },
    ],
  ])('that %s is no refund: the order stands', async (_what, each, expected) => {
    emulator.faults.on('POST /refunds', each);
    expect(await resume({ repeat: 'accept' })).toMatchObject(expected);
    expect(refunds()).toHaveLength(1);
  });

  it('that was received is not open where the order cannot be read: it would be sent again', async () => {
    const away = market.withOptions({
      fetch: async (url, init) => {
        const response = await emulator.fetch(url, init);
        if (!url.endsWith('/refunds')) return response;
        emulator.faults.on('GET /orders/{public_id}', fault.internalError());
        return Response.json({ status: 'requested' }, { status: 202 });
      },
    });
    const begun = { input: { public_id: publicId }, startedAt: new Date() };
    const resumed = await away.orders.resumeRefund(begun, { repeat: 'accept' });
    expect(resumed).toMatchObject({ state: 'requested' });
  });

  it('sends nothing where the refund is visible', async () => {
    await market.orders.refund({ public_id: publicId });
    expect(await resume({ repeat: 'accept' })).toMatchObject({ state: 'refunded', found: 'order' });
    expect(refunds()).toHaveLength(1);
  });

  it.each<[string, Fault, object]>([
    ['is refused with a reason', fault.status(409), { state: 'refused', reason: 'refused' }],
    ['is answered with a success that is none', answer({ success: false }), { state: 'open' }],
    ['is refused as invalid', fault.status(422), { state: 'refused', reason: 'refused' }],
    ['is refused as a request', fault.status(401), { state: 'open' }],
    ['finds no order', fault.status(404), { state: 'open' }],
    ['gets no response', fault.resetBeforeWork(), { state: 'open' }],
    ['fails in the service', fault.internalError(), { state: 'open' }],
  ])('that %s', async (_what, each, expected) => {
    emulator.faults.on('POST /refunds', each);
    expect(await resume({ repeat: 'accept' })).toMatchObject(expected);
    expect(refunds()).toHaveLength(1);
  });

  it('that is refused since the first one arrived meanwhile is refunded', async () => {
    const late = market.withOptions({
      fetch: async (url, init) => {
        const isRefund = url.endsWith('/refunds');
        const response = await emulator.fetch(url, init);
        return isRefund ? Response.json({ code: 'conflict' }, { status: 409 }) : response;
      },
    });
    const begun = { input: { public_id: publicId }, startedAt: new Date() };
    expect(await late.orders.resumeRefund(begun, { repeat: 'accept' })).toMatchObject({
      state: 'refunded',
      found: 'order',
    });
  });
});

it('rejects for a wrong argument, with its name, before it reads', async () => {
  const refund = { input: { public_id: publicId }, startedAt: new Date() };
  const before = emulator.requests.length;
  const wrong: readonly [unknown, object, string][] = [
    ['ord_1', {}, 'refund'],
    [{ ...refund, input: { order: 'x' } }, {}, 'public_id'],
    [{ ...refund, input: { public_id: '../x' } }, {}, 'public_id'],
    [{ ...refund, startedAt: 'yesterday' }, {}, 'startedAt'],
    [{ ...refund, startedAt: Date.now() / 1_000 }, {}, 'startedAt'],
    [refund, { repeat: 'always' }, 'repeat'],
    [refund, { deadlineMs: 0 }, 'deadlineMs'],
    [refund, { repeats: 1 }, 'repeats'],
  ];
  for (const [what, options, path] of wrong) {
    const error = await rejectionOf(market.orders.resumeRefund(what as never, options));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ method: 'POST', issues: [{ path }] });
  }
  expect(emulator.requests).toHaveLength(before);
});
