/** A success that holds another record than the call asked for is refused, and reads pass no cache. */

import { describe, expect, it } from 'vitest';
import { UnexpectedResponseError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';

const quiet = { validateResponses: 'off' } as const;
const input = {
  domain: 'Brew.example',
  expected_price: 250_000,
  currency: 'usd',
  external_payment_ref: 'payment-1001',
};
const answering = (body: unknown) => mockMarket(() => body, quiet);

it('is a MarketError where the failure that it states is nested too deep for a stack', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const body = `{"public_id":"ord_1","errors":${deep}}`;
  const { market } = mockMarket(() => new Response(body), quiet);
  const error = await rejectionOf(market.orders.create(input, { idempotencyKey: 'payment-1001' }));
  expect(error).toBeInstanceOf(UnexpectedResponseError);
});

describe('a record of another id', () => {
  const other = { public_id: 'ord_2', status: 'SETTLED', case_id: 'case_2' };
  it.each<[string, (market: ReturnType<typeof answering>['market']) => PromiseLike<unknown>]>([
    ['orders.get', (market) => market.orders.get('ord_1')],
    ['orders.waitFor', (market) => market.orders.waitFor('ord_1', { until: 'SETTLED' })],
    ['brokerage.getCase', (market) => market.brokerage.getCase('case_1')],
  ])('is refused by %s, in an envelope too', async (_call, read) => {
    for (const body of [other, { data: other }, { data: { record: other } }]) {
      const error = await rejectionOf(read(answering(body).market));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toContain('_2"');
    }
  });

  it('is a number too; a record that states none is taken', async () => {
    const { orders } = answering({ public_id: 1002 }).market;
    expect(await rejectionOf(orders.get('1001'))).toBeInstanceOf(UnexpectedResponseError);
    expect(await orders.get('1002')).toEqual({ public_id: 1002 });
    for (const body of [{ status: 'SETTLED' }, { public_id: null }]) {
      expect(await answering(body).market.orders.get('ord_1')).toEqual(body);
    }
  });
});

describe('orders.create', () => {
  const order = { public_id: 'ord_1', domain: 'brew.example' };
  const ofTea = { ...order, domain: 'tea.example' };
  const otherPayment = { ...order, external_payment_ref: 'payment-2002' };
  const conflict = { error: { code: 'conflict', message: 'no' } };
  it.each<[string, unknown, string]>([
    ['another domain', ofTea, 'states the domain "tea.example"'],
    ['another payment', otherPayment, 'states the external_payment_ref "payment-2002"'],
    ['another domain, in an envelope', { data: { order: ofTea } }, 'the domain "tea.example"'],
    ['an error code', { ...order, code: 'price_mismatch' }, 'the error code "price_mismatch"'],
    ['an error next to it', { success: false, ...conflict, order }, 'the error code "conflict"'],
    ['success: false', { success: false, order }, 'a body that says success: false'],
    ['two orders', { a: order, b: order }, 'no order with a "public_id"'],
  ])('refuses a 2xx with %s', async (_what, body, reason) => {
    const { market, sent } = answering(body);
    const idempotencyKey = 'payment-1001';
    const error = await rejectionOf(market.orders.create(input, { idempotencyKey }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey });
    expect(error.message).toContain(reason);
    expect(error.message).toContain('The order may exist.');
    expect(sent).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['its domain in another case', { domain: 'BREW.example' }],
    ['its payment in another case', { external_payment_ref: 'PAYMENT-1001' }],
    ['a payment that was cut off', { external_payment_ref: 'payment-1' }],
    ['another price and currency', { sale_price_cents: 1, currency: 'EUR' }],
    ['a code of a success', { code: 'success' }],
    ['a code of what was created', { code: 'created' }],
    ['a code of what was accepted', { code: 'accepted' }],
  ])('takes an order with %s', async (_what, fields) => {
    expect(await answering({ ...order, ...fields }).market.orders.create(input)).toMatchObject(
      fields,
    );
  });

  it('finds the order in an envelope of two levels', async () => {
    const { market } = answering({ data: { order } });
    expect(await market.orders.create(input)).toEqual(order);
  });

  it('compares with what was sent, though the caller changed its input since', async () => {
    const changing = { ...input };
    const creating = answering(order).market.orders.create(changing);
    changing.domain = 'tea.example';
    expect(await creating).toEqual(order);
  });
});

describe('a success that says in its body that nothing was done', () => {
  const buyer_email = 'ada@buyer.example';
  const begun = { domain: 'wanted.example', tier: 'managed', buyer_email } as const;
  const refund = (body: unknown) => answering(body).market.orders.refund({ public_id: 'ord_1' });
  const openCase = (body: unknown) => answering(body).market.brokerage.openCase(begun);

  it.each<[string, unknown, string]>([
    ['success: false', { success: false, public_id: 'ord_1' }, 'says success: false'],
    ['an error', { refund: { error: { reason: 'too late' } } }, 'says error: {'],
    ['a code that is an HTTP status', { code: 409 }, 'says code: 409'],
    ['the body of an error', { code: 'internal_error', message: 'no' }, 'code: "internal_error"'],
    ['the code of an error, deeper', { refund: { code: 'conflict' } }, 'says code: "conflict"'],
    ['a failure after a record', { refund: { id: 'rf_1' }, success: false }, 'success: false'],
  ])('is no refund: %s', async (_what, body, reason) => {
    const error = await rejectionOf(refund(body));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(error.message).toContain(reason);
    expect(error.message).toContain('orders.resumeRefund');
  });

  it.each<[string, unknown, string]>([
    ['ok: false', { ok: false }, 'says ok: false'],
    ['the body of an error', { code: 'forbidden', message: 'no' }, 'says code: "forbidden"'],
    ['an error', { case: { error: { reason: 'closed' } } }, 'says error: {'],
  ])('is no case: %s', async (_what, body, reason) => {
    const error = await rejectionOf(openCase(body));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown' });
    expect(error.message).toContain(reason);
    expect(error.message).toContain('brokerage.resumeCase');
  });

  it('is taken where it says nothing of the kind', async () => {
    const done = { status: 'FAILED_BEFORE', ok: true, error: null, errors: [], code: 'R-17' };
    expect(await refund({ ...done, public_id: 'ord_1' })).toMatchObject(done);
    const deep = { refund: { checks: { success: false } } };
    expect(await refund(deep)).toMatchObject(deep.refund);
    expect(await openCase(done)).toMatchObject(done);
  });

  it('is taken whatever id it has: the id may be that of the refund', async () => {
    expect(await refund({ public_id: 'rf_1' })).toEqual({ public_id: 'rf_1' });
  });
});

describe('a read', () => {
  it('asks caches to pass it on; a write has no need to', async () => {
    const { market, sent } = answering({ public_id: 'ord_1', items: [] });
    await market.orders.get('ord_1');
    await market.orders.list();
    await market.request({ path: '/orders', headers: { 'x-trace': '1' } });
    await market.orders.refund({ public_id: 'ord_1' });
    expect(sent.map(({ headers }) => headers['cache-control'])).toEqual([
      ...['no-cache', 'no-cache', 'no-cache'],
      undefined,
    ]);
  });

  it("keeps the caller's own cache-control", async () => {
    const { market, sent } = answering({ public_id: 'ord_1' });
    await market.orders.get('ord_1', { headers: { 'Cache-Control': 'no-store' } });
    expect(sent[0]?.headers['cache-control']).toBe('no-store');
  });
});
