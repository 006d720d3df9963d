import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { CallPromise, NotFoundError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';

const found = () => mockMarket(() => ({ public_id: 'ord_1' }), { validateResponses: 'off' });

const lost = () =>
  mockMarket(() => HttpResponse.json({ code: 'not_found' }, { status: 404 })).market;

/** The rejections that nobody handled while `work` ran, and in the turns of the loop after it. */
async function unhandledDuring(work: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  const note = (reason: unknown) => void unhandled.push(reason);
  // The test runner's own listener would fail the run for what is expected here.
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  try {
    await work();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
  } finally {
    process.off('unhandledRejection', note);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
  return unhandled;
}

describe("a call's promise", () => {
  it('is a real promise of the data', async () => {
    const promise = found().market.orders.get('ord_1');
    expect(promise).toBeInstanceOf(Promise);
    expect(promise).toBeInstanceOf(CallPromise);
    expect(Object.prototype.toString.call(promise)).toBe('[object Promise]');
    expect(await promise).toEqual({ public_id: 'ord_1' });
    expect(await promise).toBe(await promise);
  });

  it('gives plain promises from then, catch and finally', async () => {
    const promise = found().market.orders.get('ord_1');
    const next = [promise.then(() => 1), promise.catch(() => 2), promise.finally(() => undefined)];
    for (const each of next) {
      expect(each).not.toBeInstanceOf(CallPromise);
      expect(each.constructor).toBe(Promise);
    }
    expect(await Promise.all(next)).toEqual([1, { public_id: 'ord_1' }, { public_id: 'ord_1' }]);
  });

  it('goes into Promise.all, allSettled, race and async functions', async () => {
    const { market } = found();
    const get = async () => market.orders.get('ord_1');
    expect(await Promise.all([get(), market.orders.get('ord_1')])).toHaveLength(2);
    expect(await Promise.race([market.orders.get('ord_1')])).toEqual({ public_id: 'ord_1' });
    const [good, bad] = await Promise.allSettled([get(), lost().orders.get('ord_2')]);
    expect(good.status).toBe('fulfilled');
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
  });

  it('is sent once, at once, however often it is looked at', async () => {
    const { market, sent } = found();
    const promise = market.orders.get('ord_1');
    await Promise.all([promise, promise, promise.withResponse(), promise.withResponse()]);
    expect(sent).toHaveLength(1);
  });

  it('is sent even if it is not awaited', async () => {
    const { market, sent } = found();
    void market.orders.get('ord_1');
    for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
    expect(sent).toHaveLength(1);
  });

  it('gives with withResponse how the data was obtained', async () => {
    const { market, sent } = mockMarket(
      () =>
        HttpResponse.json(
          { public_id: 'ord_1' },
          { status: 201, headers: { 'X-Request-Id': 'req_7', 'set-cookie': 'a=b' } },
        ),
      { validateResponses: 'off' },
    );
    const { data, response } = await market.orders
      .create({ domain: 'brew.example', expected_price: 250_000 })
      .withResponse();
    expect(data).toEqual({ public_id: 'ord_1' });
    expect(response).toEqual({
      status: 201,
      headers: {
        'content-type': 'application/json',
        'content-length': '21',
        'x-request-id': 'req_7',
      },
      body: data,
      requestId: 'req_7',
      attempts: 1,
      idempotencyKey: sent[0]?.headers['idempotency-key'],
    });
  });

  it('rejects by then, by catch and by withResponse with one and the same error', async () => {
    const promise = lost().orders.get('ord_2');
    const errors = await Promise.all([
      promise.catch((error: unknown) => error),
      promise.then(undefined, (error: unknown) => error),
      promise.withResponse().catch((error: unknown) => error),
    ]);
    expect(errors[0]).toBeInstanceOf(NotFoundError);
    expect(new Set(errors).size).toBe(1);
  });
});

describe('a failure', () => {
  it('is not unhandled when withResponse or the promise alone is used and handled', async () => {
    const unhandled = await unhandledDuring(async () => {
      const { orders } = lost();
      await rejectionOf(orders.get('ord_2').withResponse());
      await rejectionOf(orders.list().withResponse());
      await rejectionOf(orders.get('ord_2'));
    });
    expect(unhandled).toEqual([]);
  });

  it('is unhandled once when no handler is attached, with withResponse and without', async () => {
    const once = await unhandledDuring(async () => {
      void lost().orders.get('ord_2');
    });
    expect(once).toHaveLength(1);
    const withResponse = await unhandledDuring(async () => {
      void lost().orders.get('ord_2').withResponse();
    });
    expect(withResponse).toHaveLength(1);
    expect(withResponse[0]).toBeInstanceOf(NotFoundError);
  });

  it('of refused input is a rejection too, and no synchronous throw', async () => {
    const unhandled = await unhandledDuring(async () => {
      void lost().orders.get('..');
    });
    expect(unhandled).toMatchObject([{ name: 'InvalidRequestError' }]);
  });
});
