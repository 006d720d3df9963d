/**
 * The faults that lie, over real sockets: the key of a sale is forgotten, its domain is sold and its order
 * exists. `orders.resume` never says `refused`, and `placed` only with that order.
 */

import { beforeEach, describe, expect, it } from 'vitest';
import { MarketClient, UnexpectedResponseError } from 'market-partner-sdk';
import { fault, type Fault } from 'market-partner-sdk/testing';
import { fakeSleep } from '../support/virtual-time.js';
import { start } from './control-fixture.js';
import { startOfTime } from './emulator-fixture.js';

const input = {
  domain: 'brew.example',
  expected_price: 250_000,
  currency: 'USD',
  external_payment_ref: 'payment-1001',
} as const;
const sale = { input, idempotencyKey: 'payment-1001', startedAt: startOfTime };

const other = { expected_price: 250_000, currency: 'USD' };

const words = [
  'has_more',
  'links.next',
  'partial',
  'timed_out',
  'errors',
  'success',
  'data',
  'total',
] as const;

let emulator: Awaited<ReturnType<typeof start>>['emulator'];
let post: Awaited<ReturnType<typeof start>>['post'];
let market: MarketClient;
let publicId: string;

beforeEach(async () => {
  const listings = Array.from({ length: 25 }, (_, at) => `more-${at}.example`);
  const inventory = [input.domain, ...listings].map((domain) => ({ domain, price_cents: 250_000 }));
  ({ emulator, post } = await start({ idempotencyMemory: '1 minute', inventory }));
  const { keyId, secret } = emulator.createCredential();
  market = new MarketClient({
    baseUrl: emulator.baseUrl,
    keyId,
    secret,
    clock: emulator.clock.now,
    sleep: fakeSleep(),
    maxRetries: 0,
  });
  const { idempotencyKey } = sale;
  ({ public_id: publicId } = await market.orders.create(input, { idempotencyKey }));
  emulator.clock.advance('2 minutes');
});

/** Later orders of other domains: with them, the first page of the list is full. */
async function sellOthers() {
  for (let at = 0; at < 25; at += 1)
    await market.orders.create({ ...other, domain: `more-${at}.example` });
}

describe('a list of orders', () => {
  it('that does not lie shows the order of the sale', async () => {
    const ended = await market.orders.resume(sale);
    expect(ended).toMatchObject({ state: 'placed', order: { public_id: publicId } });
  });

  it.each<[string, Fault]>([
    ['is stale', fault.staleList({ ageSeconds: 300 })],
    ...words.map((word): [string, Fault] => [`is partial: ${word}`, fault.partialList(word)]),
  ])('that %s proves nothing', async (name, lie) => {
    emulator.faults.on('GET /orders', lie);
    expect((await market.orders.resume(sale)).state).toBe('open');
    const found = (page: { readonly items: readonly unknown[] }) => page.items.length;
    const list = () => market.orders.list({ domain: input.domain });
    // Null in place of a list, and a failure beside an empty one, are refused; the others look empty.
    const isRefused = ['data', 'errors', 'success'].some((word) => name.endsWith(`: ${word}`));
    expect(await list().then(found, (error: unknown) => (error as Error).name)).toBe(
      isRefused ? 'UnexpectedResponseError' : 0,
    );
    emulator.faults.clear();
    expect(found(await list())).toBe(1);
  });

  it('that was stored before the order, without an Age, is caught by the second look-up', async () => {
    const lie = fault.staleList({ ageSeconds: 300, showAge: false });
    emulator.faults.on('GET /orders', lie, { times: 1 });
    const ended = await market.orders.resume(sale);
    expect(ended).toMatchObject({ state: 'placed', order: { public_id: publicId } });
    expect(emulator.faults.list()).toEqual([]);
  });

  it('that is stale shows what was there before, and its Age', async () => {
    emulator.faults.on('GET /orders', fault.staleList());
    await market.orders.create({ ...other, domain: 'more-1.example' });
    const page = await market.orders.list();
    expect(page.items).toMatchObject([{ public_id: publicId }]);
    expect(page.response.headers.age).toBe('60');
  });

  it('that ignores its filter proves nothing', async () => {
    await sellOthers();
    emulator.faults.on('GET /orders', fault.ignoredFilter());
    const page = await market.orders.list({ domain: input.domain });
    expect(page.items.map(({ domain }) => domain)).not.toContain(input.domain);
    expect([page.items.length, page.nextCursor]).toEqual([20, undefined]);
    expect(await market.orders.resume(sale)).toMatchObject({ state: 'open' });
  });

  it.each([
    ['case', 'PAYMENT-1001'],
    ['padded', ' payment-1001 '],
    ['cut', 'payment-'],
  ] as const)('that shows the reference changed (%s) is for an operator', async (how, changed) => {
    emulator.faults.on(/GET .*\/orders/, fault.changedReference(how));
    const ended = await market.orders.resume(sale);
    expect(ended).toMatchObject({ state: 'attention', candidates: [{ public_id: publicId }] });
    expect(await market.orders.get(publicId)).toMatchObject({ external_payment_ref: changed });
  });
});

describe('a record of another id', () => {
  it('is refused by the calls that asked for one', async () => {
    const { case_id: caseId = '' } = await market.brokerage.openCase({
      tier: 'managed',
      buyer_email: 'a@b.example',
    });
    emulator.faults.on(/GET/, fault.otherRecord());
    const { orders, brokerage } = market;
    await expect(orders.get(publicId)).rejects.toThrow(UnexpectedResponseError);
    await expect(orders.waitFor(publicId, { until: 'SETTLED', deadlineMs: 1_000 })).rejects.toThrow(
      UnexpectedResponseError,
    );
    await expect(brokerage.getCase(caseId)).rejects.toThrow(UnexpectedResponseError);
    expect((await orders.list()).items).toMatchObject([{ public_id: publicId }]);
  });

  it('is no proof that the sale was placed', async () => {
    const next = { ...input, domain: 'more-1.example', external_payment_ref: 'payment-1002' };
    emulator.faults.on('POST /orders', fault.otherRecord());
    const created = market.orders.create(next, { idempotencyKey: 'payment-1002' });
    await expect(created).rejects.toMatchObject({ outcome: 'unknown' });
    const ended = await market.orders.resume({
      input: next,
      idempotencyKey: 'payment-1002',
      startedAt: emulator.clock.now(),
    });
    expect(ended.state).toBe('attention');
    emulator.faults.clear();
    expect((await market.orders.list({ domain: next.domain })).items).toHaveLength(1);
  });
});

it('a refund and a case whose responses were lost are found again', async () => {
  const refund = { public_id: publicId };
  const request = {
    domain: 'wanted.example',
    tier: 'managed',
    buyer_email: 'ada@buyer.example',
  } as const;
  emulator.faults.on('POST /refunds', fault.resetAfterWork());
  emulator.faults.on('POST /brokerage', fault.resetAfterWork());
  const startedAt = emulator.clock.now();
  const lost = { outcome: 'unknown' };
  await expect(market.orders.refund(refund)).rejects.toMatchObject(lost);
  await expect(market.brokerage.openCase(request)).rejects.toMatchObject(lost);
  expect(await market.orders.resumeRefund({ input: refund, startedAt })).toMatchObject({
    state: 'refunded',
  });
  expect(await market.brokerage.resumeCase({ input: request, startedAt })).toMatchObject({
    state: 'opened',
  });
});

describe('a lie', () => {
  it('is armed over HTTP like any other fault', async () => {
    const lies = [
      'partialList(timed_out)',
      'changedReference(cut)',
      'ignoredFilter',
      'otherRecord',
    ];
    for (const lie of lies)
      await post('/faults/on', { match: 'GET /orders/{public_id}', fault: lie });
    const stale = { name: 'staleList', ageSeconds: 300, showAge: false };
    const armed = await post('/faults/on', { match: 'GET /orders', fault: stale, times: 1 });
    expect(armed).toMatchObject([
      { kinds: ['partialList'], left: null },
      { kinds: ['changedReference'] },
      { kinds: ['ignoredFilter'] },
      { kinds: ['otherRecord'] },
      { kinds: ['staleList'], match: 'GET /orders', left: 1 },
    ]);
    await post('/faults/clear');
    await post('/faults/on', { match: 'GET /orders', fault: 'staleList(300)' });
    expect((await market.orders.resume(sale)).state).toBe('open');
  });

  it.each<[unknown, string]>([
    ['staleList(0)', '"fault.ageSeconds" must be a whole number from 1 up'],
    [{ name: 'staleList', showAge: 'no' }, '"fault.showAge" must be true or false'],
    ['partialList', '"fault.word" is required'],
    ['partialList(more)', '"success", "data" or "total"'],
    ['changedReference(short)', '"fault.how" must be "case", "padded" or "cut"'],
    ['otherRecord(1)', 'The fault "otherRecord" takes no arguments.'],
  ])('that is wrong (%j) is refused with the rule', async (lie, message) => {
    const refused = await post('/faults/next', { fault: lie });
    expect(refused).toMatchObject({ code: 'validation_error' });
    expect(refused.message).toContain(message);
  });

  it.each(['', '{noun}'])('keeps the envelope of lists: "%s"', async (items) => {
    const { emulator: enveloped, call } = await start({
      profile: { version: 1, lists: { items } },
    });
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    enveloped.faults.next(fault.partialList('has_more'));
    const { json } = await call('GET /orders');
    const partial = { orders: [], next_cursor: null, has_more: true };
    expect(json).toEqual(items === '' ? [] : partial);
  });

  it('leaves an error as it is', async () => {
    emulator.faults.on(/./, fault.otherRecord());
    await expect(market.orders.get('ord_unknown')).rejects.toMatchObject({ code: 'not_found' });
  });
});
