import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvalidRequestError, type MarketClient, type ResumeOptions } from 'market-partner-sdk';
import { fault, type MarketEmulator } from 'market-partner-sdk/testing';
import { rejectionOf } from '../../support/errors.js';
import { clientOf, domain, emulateSale, price } from './emulated-sale.js';

const key = 'payment-1001';

let emulator: MarketEmulator;
let market: MarketClient;
let slept: number[];

beforeEach(async () => {
  ({ emulator, market, slept } = await emulateSale());
});
afterEach(() => emulator.stop());

const input = (more: object = {}) => ({
  domain,
  expected_price: price,
  external_payment_ref: 'pay-1001',
  ...more,
});
const resume = (options?: ResumeOptions, more: object = {}) =>
  market.orders.resume(
    { input: input(more), idempotencyKey: key, startedAt: emulator.clock.now() },
    options,
  );
const placed = async () => await market.orders.list({ domain }).toArray();

describe('orders.resume', () => {
  it('places a sale that never reached the service, once however often it is called', async () => {
    const first = await resume();
    expect(first).toMatchObject({ state: 'placed', found: 'replayed' });
    expect(await resume()).toEqual(first);
    expect(await placed()).toHaveLength(1);
  });

  it('makes as few requests as the end allows', async () => {
    const requestsOf = async (options?: ResumeOptions) => {
      const before = emulator.requests.length;
      const { state } = await resume(options);
      const made = emulator.requests.slice(before).map(({ method, path }) => {
        return `${method} ${path.slice(path.lastIndexOf('/') + 1)}`;
      });
      return [state, ...made];
    };
    // Its order is placed, then replayed.
    expect(await requestsOf()).toEqual(['placed', 'POST orders']);
    expect(await requestsOf()).toEqual(['placed', 'POST orders']);
    // With a requote, an order under a derived key is looked for first.
    expect(await requestsOf({ requote: 'at_most_paid' })).toEqual(['placed', 'GET orders']);
    expect(slept).toEqual([]);
  });

  it('finds the order whose response was lost, though its price changed since', async () => {
    emulator.faults.next(fault.internalError({ afterWork: true }));
    await rejectionOf(market.orders.create(input(), { idempotencyKey: key }));
    expect(await resume()).toMatchObject({ state: 'placed' });
    expect(await placed()).toHaveLength(1);
  });

  it('believes a refusal after two look-ups, some seconds apart', async () => {
    emulator.admin.reprice(domain, price + 1);
    expect(await resume()).toMatchObject({
      state: 'refused',
      reason: 'price_mismatch',
      error: { code: 'price_mismatch', response: { status: 422 } },
    });
    expect(slept).toEqual([3_000]);
    expect(await placed()).toEqual([]);
  });

  it("takes no gateway's bare list for the proof that there is no order", async () => {
    emulator.faults.orderList.late('1 minute');
    emulator.faults.next(fault.internalError({ afterWork: true }));
    await rejectionOf(market.orders.create(input(), { idempotencyKey: key }));
    // The list lags at the first look-up, and a gateway answers the second one.
    for (const each of [fault.status(404), fault.latency(0), fault.status(200, { body: [] })]) {
      emulator.faults.next(each);
    }
    expect(await resume()).toMatchObject({ state: 'open' });
    emulator.clock.advance('1 minute');
    expect(await resume()).toMatchObject({ state: 'placed' });
    expect(await placed()).toHaveLength(1);
  });

  it('looks an old key up before it is sent', async () => {
    await market.orders.create(input(), { idempotencyKey: 'forgotten-by-the-service' });
    const startedAt = emulator.clock.now() - 1_000;
    const sale = { input: input(), idempotencyKey: key, startedAt };
    expect(await market.orders.resume(sale, { idempotencyWindowMs: 500 })).toMatchObject({
      state: 'placed',
      found: 'looked_up',
    });
    expect(await placed()).toHaveLength(1);
  });

  it.each([
    ['as old as the service remembers keys', 0, ['POST']],
    ['older', 1, ['GET', 'GET', 'POST']],
    ['of a clock that is 300 s ahead', -43_500_000, ['POST']],
    ['further in the future, which is a wrong clock', -43_500_001, ['GET', 'GET', 'POST']],
  ])('sends a key that is %s: %i ms over', async (_what, overMs, methods) => {
    const now = emulator.clock.now();
    const startedAt = now - 12 * 3_600_000 - overMs;
    const stopped = market.withOptions({ clock: () => now });
    await stopped.orders.resume({ input: input(), idempotencyKey: key, startedAt });
    expect(emulator.requests.map(({ method }) => method)).toEqual(methods);
  });

  it.each<[string, (now: number) => Date | number | string]>([
    ['a Date', (now) => new Date(now)],
    ['Unix milliseconds', (now) => now],
    ['an ISO 8601 string', (now) => new Date(now).toISOString()],
  ])('takes its moment as %s', async (_what, momentOf) => {
    const startedAt = momentOf(emulator.clock.now());
    const sale = { input: input(), idempotencyKey: key, startedAt };
    expect(await market.orders.resume(sale)).toMatchObject({ found: 'replayed' });
  });

  it('stays open when it is aborted between two look-ups', async () => {
    emulator.admin.reprice(domain, price + 1);
    const controller = new AbortController();
    const reason = new Error('the process stops');
    const stopping = market.withOptions({
      sleep: (_ms, signal) => {
        controller.abort(reason);
        return Promise.reject(signal.reason as Error);
      },
    });
    const sale = { input: input(), idempotencyKey: key, startedAt: emulator.clock.now() };
    const ended = await stopping.orders.resume(sale, { signal: controller.signal });
    expect(ended).toMatchObject({ state: 'open', retryAfterMs: undefined });
    expect(ended).toHaveProperty('error', reason);
  });

  it.each<[string, object]>([
    ['another domain', { domain: 'tea.example' }],
    ['another payment', { external_payment_ref: 'pay-2002' }],
    ['another price', { sale_price_cents: 1 }],
    ['another currency', { currency: 'JPY' }],
    ['an error code', { code: 'conflict' }],
  ])('shows an operator a 2xx with %s', async (_what, fields) => {
    const order = { public_id: 'ord_9', domain, ...fields };
    emulator.faults.next(fault.status(201, { body: order }));
    expect(await resume(undefined, { currency: 'USD' })).toMatchObject({
      state: 'attention',
      reason: 'ambiguous',
      candidates: [order],
      error: { message: expect.stringContaining('POST') as string },
    });
  });

  it('reads no list without an end: one deadline for all pages', async () => {
    emulator.faults.on('POST /orders', fault.status(404));
    let pages = 0;
    const startedAt = emulator.clock.now();
    const endless = clientOf(emulator, slept).withOptions({
      clock: () => startedAt + pages * 100,
      fetch: (url, init) => {
        if (init.method !== 'GET') return emulator.fetch(url, init);
        pages += 1;
        return Promise.resolve(Response.json({ data: [], next_cursor: `c${pages}` }));
      },
    });
    const sale = { input: input(), idempotencyKey: key, startedAt };
    expect(await endless.orders.resume(sale, { deadlineMs: 3_000 })).toMatchObject({
      state: 'open',
      error: { name: 'TimeoutError' },
    });
    expect(pages).toBe(30);
  });

  it('stays open while the service does not say', async () => {
    emulator.faults.next(fault.internalError());
    expect(await resume()).toMatchObject({ state: 'open', error: { response: { status: 500 } } });
  });

  it('leaves a key of another input to a person', async () => {
    await market.orders.create(input({ external_payment_ref: 'pay-7' }), { idempotencyKey: key });
    expect(await resume()).toMatchObject({ state: 'attention', reason: 'key_conflict' });
  });

  it('gives that person the error, where there is no order to look at', async () => {
    emulator.admin.list({ domain: 'bank.example', price_cents: price, floor_price_cents: 1_000 });
    await market.orders.create(input({ domain: 'bank.example' }), { idempotencyKey: key });
    expect(await resume()).toMatchObject({
      state: 'attention',
      candidates: [],
      error: { code: 'conflict', idempotencyKey: key, requestId: expect.any(String) as string },
    });
  });

  it('rejects for a wrong argument, with its name', async () => {
    const sale = { input: input(), idempotencyKey: key, startedAt: new Date() };
    const unreferenced = { domain, expected_price: 1 };
    const wrong: readonly [object, object, string][] = [
      [{ ...sale, idempotencyKey: undefined }, {}, 'idempotencyKey'],
      [{ ...sale, idempotencyKey: ' ' }, {}, 'idempotencyKey'],
      [{ ...sale, startedAt: 'yesterday' }, {}, 'startedAt'],
      [{ ...sale, startedAt: null }, {}, 'startedAt'],
      [{ ...sale, startedAt: true }, {}, 'startedAt'],
      [{ ...sale, startedAt: Date.now() / 1_000 }, {}, 'startedAt'],
      [{ ...sale, input: 'brew.example' }, {}, 'input'],
      [[sale], {}, 'sale'],
      ['payment-1001' as never, {}, 'sale'],
      [{ ...sale, input: { domain: 7, expected_price: 1 } }, {}, 'domain'],
      [sale, { requote: 'always' }, 'requote'],
      [sale, { idempotencyWindowMs: 0 }, 'idempotencyWindowMs'],
      [sale, { timeoutMs: -1 }, 'timeoutMs'],
      [sale, { requotes: 1 }, 'requotes'],
      [{ ...sale, input: unreferenced }, { requote: 'at_most_paid' }, 'external_payment_ref'],
    ];
    for (const [what, options, path] of wrong) {
      const error = await rejectionOf(market.orders.resume(what as never, options));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ method: 'POST', issues: [{ path }] });
    }
    expect(emulator.requests).toHaveLength(0);
  });
});

describe("orders.resume with requote: 'at_most_paid'", () => {
  const options = { requote: 'at_most_paid' } as const;

  it('places the order at a price that fell, and only once', async () => {
    emulator.admin.reprice(domain, price - 500);
    const first = await resume(options);
    expect(first).toMatchObject({ state: 'placed', order: { sale_price_cents: price - 500 } });
    // The domain is listed again at the first price: the first key must not place a second order.
    emulator.admin.list({ domain, price_cents: price, floor_price_cents: 1_000 });
    expect(await resume(options)).toMatchObject({ state: 'placed', found: 'looked_up' });
    expect(await placed()).toHaveLength(1);
  });

  it('never pays more than the buyer did', async () => {
    emulator.admin.reprice(domain, price + 1);
    expect(await resume(options)).toMatchObject({ state: 'refused', reason: 'price_mismatch' });
    expect(await placed()).toEqual([]);
  });

  it('places an order whose quote expired', async () => {
    const { quote_id } = await market.orders.quote({ domain });
    emulator.clock.advance('11 minutes');
    expect(await resume(options, { quote_id })).toMatchObject({ state: 'placed' });
    expect(await placed()).toHaveLength(1);
  });

  it('finds the order under a derived key whose response was lost', async () => {
    emulator.admin.reprice(domain, price - 500);
    let requests = 0;
    // Refused, looked up, quoted, then placed; the connection ends before the response arrives.
    const lossy = market.withOptions({
      fetch: async (url, init) => {
        requests += 1;
        const response = await emulator.fetch(url, init);
        const isPlaced = response.status === 201 && url.endsWith('/orders');
        if (isPlaced) throw new TypeError('fetch failed');
        return response;
      },
    });
    const sale = { input: input(), idempotencyKey: key, startedAt: emulator.clock.now() };
    expect(await lossy.orders.resume(sale, options)).toMatchObject({ state: 'open' });
    expect(requests).toBeGreaterThan(3);
    expect(await placed()).toHaveLength(1);
    expect(await resume(options)).toMatchObject({ state: 'placed', found: 'looked_up' });
    expect(await placed()).toHaveLength(1);
  });
});
