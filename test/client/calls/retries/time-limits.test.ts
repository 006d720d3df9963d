/** timeoutMs for an attempt, deadlineMs for the call, on faked timers and the client's default clock. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpResponse } from 'msw';
import { MarketError, TimeoutError, type ClientOptions } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import { okResponse, errorResponse, mockMarket, type Step } from '../../../support/mock-market.js';
import { fakeSleep } from '../../../support/virtual-time.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** The faked timers are those of the client's defaults. */
const realTime = { clock: undefined, sleep: undefined };
const clientOf = (step: Step, options: ClientOptions = {}) =>
  mockMarket([step], { ...realTime, ...options });

const order = { domain: 'brew.example', expected_price: 250_000 };

/** Sends its head and one piece of the body, and then nothing. */
const drip = (status = 200) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('{"a')),
  });
  return new Response(body, { status });
};

describe('an attempt that is not done within timeoutMs', () => {
  it('is given up and repeated', async () => {
    const { market, sent } = mockMarket(['hang', okResponse()], realTime);
    const call = market.orders.get('ord_1001').withResponse();
    await vi.advanceTimersByTimeAsync(29_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await call).response.attempts).toBe(2);
  });

  it('ends a call with a TimeoutError of which "attempt" when none is left', async () => {
    const { market } = clientOf('hang', { timeoutMs: 1_000, maxRetries: 1 });
    const failure = rejectionOf(market.orders.create(order));
    await vi.advanceTimersByTimeAsync(2_000);
    const error = await failure;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ which: 'attempt', attempts: 2, outcome: 'unknown' });
    expect(error.message).toContain('1000 ms (timeoutMs)');
  });

  it('is not repeated where a repeat could do harm', async () => {
    const { market, sent } = clientOf('hang', { timeoutMs: 1_000 });
    const failure = rejectionOf(market.orders.refund({ public_id: 'ord_1001' }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failure).toMatchObject({ which: 'attempt', attempts: 1, outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  it.each([200, 503])('counts the body of a %i that drips', async (status) => {
    const { market } = clientOf(() => drip(status), { timeoutMs: 5_000, maxRetries: 0 });
    const failure = rejectionOf(market.orders.list());
    await vi.advanceTimersByTimeAsync(5_000);
    const facts = { which: 'attempt', response: { status }, outcome: 'unknown' };
    expect(await failure).toMatchObject(facts);
  });

  it('is repeated even for a refund while no connection could be made', async () => {
    // It queues the request and never starts it.
    const dispatch = vi.fn(() => true);
    const { market } = clientOf('hang', { dispatcher: { dispatch }, timeoutMs: 1_000 });
    const failure = rejectionOf(market.orders.refund({ public_id: 'ord_1001' }));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await failure).toMatchObject({ which: 'attempt', attempts: 3, outcome: 'not_sent' });
    expect(dispatch).toHaveBeenCalledTimes(3);
  });

  it("has the call's own timeoutMs over the client's", async () => {
    const { market } = clientOf('hang', { maxRetries: 0 });
    const failure = rejectionOf(market.orders.get('ord_1001', { timeoutMs: 7 }));
    await vi.advanceTimersByTimeAsync(7);
    expect(await failure).toMatchObject({ which: 'attempt' });
  });
});

describe('a call that is not done within deadlineMs', () => {
  it('ends in the middle of an attempt, with a TimeoutError of which "deadline"', async () => {
    const { market, sent } = clientOf('hang', {
      timeoutMs: 400,
      deadlineMs: 1_000,
      maxRetries: 9,
    });
    let ended = false;
    const failure = rejectionOf(market.orders.get('ord_1001')).finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject({ which: 'deadline', attempts: 3, outcome: 'unknown' });
    expect(sent).toHaveLength(3);
  });

  it('starts no attempt for the moment that a timer fired too early', async () => {
    const { market, sent } = clientOf('hang', {
      deadlineMs: 1_000,
      clock: () => performance.now() * 0.999,
    });
    const failure = rejectionOf(market.orders.get('ord_1001'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failure).toMatchObject({ which: 'deadline', attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  it.each([30_000, 50])('ends by the deadline with a timeoutMs of %i', async (timeoutMs) => {
    const { market, sent } = clientOf('hang', { timeoutMs, deadlineMs: 50 });
    const failure = rejectionOf(market.orders.get('ord_1001'));
    await vi.advanceTimersByTimeAsync(50);
    const error = await failure;
    expect(error).toMatchObject({ which: 'deadline', attempts: 1 });
    expect(error.message).toContain('50 ms (deadlineMs)');
    expect(sent).toHaveLength(1);
  });

  it('fails now when a back-off does not fit, and says so', async () => {
    const sleep = vi.fn(fakeSleep());
    const { market } = clientOf(errorResponse(503), {
      deadlineMs: 200,
      random: () => 0.9,
      sleep,
    });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({
      name: 'InternalServerError',
      response: { status: 503 },
      attempts: 1,
    });
    expect(error.message).toMatch(/not retried: deadline reached/);
    expect(sleep).not.toHaveBeenCalled();
  });

  it('starts no attempt after a wait that ended late', async () => {
    const { market, sent } = clientOf(errorResponse(503), {
      deadlineMs: 1_000,
      random: () => 0.9,
      // A machine that slept, or an event loop that was blocked.
      sleep: fakeSleep(() => vi.advanceTimersByTimeAsync(5_000)),
    });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ which: 'deadline', attempts: 1, outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  it('waits on the real timer by default, and no longer than it says', async () => {
    const steps = [errorResponse(503), okResponse()];
    const { market } = mockMarket(steps, { ...realTime, random: () => 0.5 });
    let ended = false;
    const call = market.orders.get('ord_1001').finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(249);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await call;
  });

  it('has the time of its attempts counted, also by an injected clock', async () => {
    const slow = () => {
      time.nowMs += 40;
      return HttpResponse.json({}, { status: 503 });
    };
    const { market, time, sent } = mockMarket([slow], { deadlineMs: 100, maxRetries: 9 });
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ attempts: 3 });
    expect(sent).toHaveLength(3);
  });
});

describe("a caller's function that fails", () => {
  const mistake = new RangeError('no such function');
  const fail = () => {
    throw mistake;
  };
  // The clock fails once the request was sent: before that, nothing is lost.
  const failLater = () => {
    let reads = 0;
    return () => ((reads += 1) > 8 ? fail() : 1_000);
  };
  it.each<[string, ClientOptions]>([
    ['a sleep that rejects', { sleep: () => Promise.reject(mistake) }],
    ['a sleep that throws', { sleep: fail }],
    ['a random that throws', { random: fail }],
    ['a clock that throws', { clock: failLater() }],
  ])('%s keeps the key and the outcome of an order', async (_what, options) => {
    const { market } = mockMarket([errorResponse(503)], {
      random: () => 0.5,
      maxRetries: 9,
      ...options,
    });
    const error = await rejectionOf(market.orders.create(order, { idempotencyKey: 'basket-7' }));
    expect(error).toBeInstanceOf(MarketError);
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'basket-7', cause: mistake });
    expect(error.message).toMatch(
      /error in this process.*: no such function\. The order may exist/,
    );
  });

  it('a clock that throws at once sends nothing', async () => {
    const { market, sent } = mockMarket([okResponse()], { clock: fail });
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({
      name: 'MarketError',
      outcome: 'not_sent',
      cause: mistake,
    });
    expect(sent).toEqual([]);
  });
});
