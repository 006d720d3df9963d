/** Retry-After: a lower bound that holds every call of a client, and fails those that it cannot fit. */

import { describe, expect, it } from 'vitest';
import { HttpResponse } from 'msw';
import { RateLimitError, type ClientOptions } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import {
  credential,
  okResponse,
  errorResponse,
  mockMarket,
  type Step,
} from '../../../support/mock-market.js';
import { fakeSleep } from '../../../support/virtual-time.js';

const order = { domain: 'brew.example', expected_price: 250_000 };

const wait = (seconds: number | string, status = 429) =>
  errorResponse(status, status === 429 ? 'rate_limited' : undefined, {
    'retry-after': `${seconds}`,
  });

/** Not `vi.waitFor`: the runner of mutants has none. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((next) => setImmediate(next));
}

/** A client that got this Retry-After for its first call; the next one succeeds. */
async function limited(seconds: number, ...steps: Step[]) {
  const world = mockMarket([wait(seconds), ...steps, okResponse()], { maxRetries: 0 });
  await rejectionOf(world.market.orders.get('ord_1001'));
  return world;
}

describe('a call that must wait', () => {
  it('ends at its deadline, however slow its pace after two limits is', async () => {
    const { market, time, dispatcher } = mockMarket(
      [wait(3), wait(3), errorResponse(502), errorResponse(502), okResponse()],
      { deadlineMs: 6_500 },
    );
    time.random = 0;
    const startedMs = time.nowMs;
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'TimeoutError', attempts: 4 });
    expect(dispatcher.sent).toHaveLength(4);
    expect(time.nowMs - startedMs).toBeLessThanOrEqual(6_500);
  });

  it('fails now when the wait does not fit its deadline', async () => {
    const { market, time, dispatcher } = mockMarket([wait(60), okResponse()], {
      deadlineMs: 60_000,
    });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 60_000, attempts: 1, outcome: 'rejected' });
    expect(time.slept).toEqual([]);
    expect(dispatcher.sent).toHaveLength(1);
  });

  it('that was given up already says so, and not that the wait does not fit', async () => {
    const { market, dispatcher } = mockMarket([wait(60), okResponse()], { deadlineMs: 30_000 });
    await rejectionOf(market.orders.get('ord_1001'));
    const controller = new AbortController();
    const inItsTurn = rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
    controller.abort();
    const before = rejectionOf(market.orders.get('ord_1001', { signal: AbortSignal.abort() }));
    for (const error of [await inItsTurn, await before]) {
      expect(error).toMatchObject({ name: 'AbortedError', attempts: 0, outcome: 'not_sent' });
    }
    expect(dispatcher.sent).toHaveLength(1);
  });

  it('waits when it fits by a millisecond', async () => {
    const { market, time } = mockMarket([wait(60), okResponse()], { deadlineMs: 60_001 });
    // A real millisecond is left for the attempt: it may be too short.
    await market.orders.get('ord_1001').catch(() => undefined);
    expect(time.slept).toEqual([60_000]);
  });

  it('counts the waits that it has had against the deadline', async () => {
    const { market, time } = mockMarket([wait(50)], { deadlineMs: 120_000, maxRetries: 9 });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(time.slept).toEqual([50_000, 50_000]);
    expect(error).toMatchObject({ retryAfterMs: 50_000, attempts: 3 });
  });

  it('counts a faked wait that no clock saw, too', async () => {
    const slept: number[] = [];
    const { market } = mockMarket([wait(50)], {
      deadlineMs: 120_000,
      maxRetries: 9,
      clock: () => Date.UTC(2026, 10, 21),
      sleep: fakeSleep((ms) => slept.push(ms)),
    });
    await rejectionOf(market.orders.get('ord_1001'));
    expect(slept).toEqual([50_000, 50_000]);
  });

  it.each([
    ['a date', 'Sat, 21 Nov 2026 08:00:25 GMT', 25_000],
    ['a date that has passed', 'Sat, 21 Nov 2026 07:00:00 GMT', 0],
    ['fractions of a second', '0.5', 500],
    ['a word, at which it does not guess', 'soon', undefined],
  ])('reads %s', async (_what, value, retryAfterMs) => {
    const { market } = mockMarket([wait(value)], { maxRetries: 0 });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error.toJSON().retryAfterMs).toBe(retryAfterMs);
  });
});

describe('the other calls of a client that must wait', () => {
  it('wait before they are sent, spread out by a back-off', async () => {
    const { market, time, dispatcher } = mockMarket([wait(30), okResponse()], { maxRetries: 0 });
    time.random = 0.5;
    await rejectionOf(market.orders.get('ord_1001'));
    time.nowMs += 10_000;
    await market.orders.get('ord_1002');
    expect(time.slept).toEqual([20_250]);
    expect(dispatcher.sent).toHaveLength(2);
  });

  it('are sent at once when the time is over', async () => {
    const { market, time } = await limited(30);
    time.nowMs += 30_000;
    await market.orders.get('ord_1002');
    expect(time.slept).toEqual([]);
  });

  it('wait for the longest of several, not for the last', async () => {
    const steps = [wait(30), wait(5, 503), okResponse()];
    const { market, time } = mockMarket(steps, { maxRetries: 0 });
    await Promise.all([
      rejectionOf(market.orders.get('ord_1001')),
      rejectionOf(market.orders.get('ord_1002')),
    ]);
    await market.orders.get('ord_1003');
    expect(time.slept).toEqual([30_000]);
  });

  it('fail unsent when the wait does not fit', async () => {
    const { market, time, dispatcher } = await limited(30);
    const error = await rejectionOf(market.orders.create(order, { deadlineMs: 30_000 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 30_000 });
    expect(error).toMatchObject({ attempts: 0, outcome: 'not_sent' });
    expect(error.message).toContain('until 2026-11-21T08:00:30.000Z, 30 s from now');
    expect(time.slept).toEqual([]);
    expect(dispatcher.sent).toHaveLength(1);
  });

  it('keep what an earlier attempt of theirs may have done', async () => {
    let told = false;
    const step: Step = () => {
      if (told) return HttpResponse.json({}, { status: 429, headers: { 'retry-after': '500' } });
      told = true;
      return HttpResponse.json({}, { status: 500 });
    };
    const { market, time } = mockMarket([step]);
    // While the order backs off, another call is told to wait longer than the order may.
    const sleep = fakeSleep(async (ms) => {
      time.nowMs += ms;
      if (told) await rejectionOf(other.orders.get('ord_1001'));
    });
    const orders = market.withOptions({ sleep });
    const other = market.withOptions({ maxRetries: 0 });
    time.random = 0.5;
    const error = await rejectionOf(orders.orders.create(order));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
  });

  it('wait at the gate when it closes during their own back-off', async () => {
    const steps = [errorResponse(503), wait(30), okResponse()];
    const { market, time, dispatcher } = mockMarket(steps);
    let other: Promise<unknown> | undefined;
    const slept: number[] = [];
    const sleep = fakeSleep(async (ms) => {
      slept.push(ms);
      other ??= rejectionOf(market.orders.get('ord_1002', { maxRetries: 0 }));
      await other;
      time.nowMs += ms;
    });
    time.random = 0.5;
    await market.withOptions({ sleep }).orders.get('ord_1001');
    expect(slept).toEqual([250, 29_750 + 250]);
    expect(dispatcher.sent).toHaveLength(3);
  });
});

it.each<[string, ClientOptions, number[]]>([
  ['is shared with a client of other limits', { timeoutMs: 1_000 }, [30_000]],
  ['is shared with a client of another logger', { logger: {} }, [30_000]],
  ['is not shared with a client of another credential', { keyId: 'mk_sandbox_2a2b' }, []],
  ['is not shared with a client of another service', { baseUrl: 'https://other.example' }, []],
  // There the moment of its end means nothing.
  ['is not shared with a client on another clock', { clock: () => 5 }, []],
])('the wait of a client %s', async (_what, options, slept) => {
  const { market, time } = await limited(30);
  await market.withOptions(options).orders.get('ord_1002');
  expect(time.slept).toEqual(slept);
});

describe('a Retry-After of a day', () => {
  const day = 86_400;

  it('holds the client for 15 minutes, and after them one call at a time probes', async () => {
    const steps = [wait(day), 'hang', okResponse()] as const;
    const { market, time, sent } = mockMarket(steps, { maxRetries: 0, deadlineMs: 3_600_000 });
    await rejectionOf(market.orders.get('ord_1001'));
    time.nowMs += 15 * 60_000;
    const controller = new AbortController();
    const probe = rejectionOf(market.orders.get('ord_probe', { signal: controller.signal }));
    await until(() => sent.length === 2);
    const held = market.orders.get('ord_held');
    for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
    expect(sent).toHaveLength(2);
    controller.abort();
    await probe;
    await held;
    expect(sent).toHaveLength(3);
  });

  it('is over for all when the probe succeeds', async () => {
    const { market, time } = await limited(day);
    time.nowMs += 15 * 60_000;
    await market.orders.get('ord_1002');
    expect(market.rateLimitedUntil).toBeUndefined();
    await Promise.all([market.orders.get('ord_1003'), market.orders.get('ord_1004')]);
    // In growing numbers: the second of them a quarter of a second later.
    expect(time.slept).toEqual([250]);
  });

  it('holds again when the probe is rate limited', async () => {
    const { market, time } = await limited(day, wait(60));
    time.nowMs += 15 * 60_000;
    await rejectionOf(market.orders.get('ord_1002'));
    expect(market.rateLimitedUntil).toEqual(new Date(time.nowMs + 60_000));
  });

  it('holds for as long as the client allows', async () => {
    const options = { maxRetries: 0, maxRateLimitHoldMs: 5_000 };
    const { market, time } = mockMarket([wait(day), okResponse()], options);
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ retryAfterMs: day * 1000 });
    await market.orders.get('ord_1002');
    expect(time.slept).toEqual([5_000]);
  });

  it('is waited for no longer by the call that got it, either', async () => {
    const { market, time } = mockMarket([wait(day), okResponse()], { deadlineMs: 3_600_000 });
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([15 * 60_000]);
  });
});

describe('a hold of the client', () => {
  it('is seen in rateLimitedUntil, by clients that share it too', async () => {
    const { market, time } = mockMarket([wait(30), okResponse()], { maxRetries: 0 });
    expect(market.rateLimitedUntil).toBeUndefined();
    await rejectionOf(market.orders.get('ord_1001'));
    const until = new Date(time.nowMs + 30_000);
    expect(market.rateLimitedUntil).toEqual(until);
    expect(market.withOptions({ timeoutMs: 9 }).rateLimitedUntil).toEqual(until);
    time.nowMs += 30_000;
    expect(market.rateLimitedUntil).toBeUndefined();
  });

  it('ends with clearRateLimit(), also for the calls that wait for it', async () => {
    const { market, time, sent } = mockMarket([wait(30), okResponse()], {
      maxRetries: 0,
      sleep: () => new Promise(() => undefined),
    });
    await rejectionOf(market.orders.get('ord_1001'));
    const waiting = market.orders.get('ord_1002');
    await Promise.resolve();
    market.clearRateLimit();
    expect(market.rateLimitedUntil).toBeUndefined();
    await waiting;
    await market.orders.get('ord_1003');
    expect(sent).toHaveLength(3);
    expect(time.slept).toEqual([]);
  });

  it('is not caused by the Retry-After of a 503, which concerns its own call', async () => {
    const { market, time } = mockMarket([wait(30, 503), okResponse()], { maxRetries: 0 });
    await rejectionOf(market.orders.get('ord_1001'));
    expect(market.rateLimitedUntil).toBeUndefined();
    await market.orders.get('ord_1002');
    expect(time.slept).toEqual([]);
  });
});

describe('a probe after a hold', () => {
  /** A client whose hold of a day was cut short at the bound of 10 s, and whose probe is next. */
  async function beforeProbe(...steps: Step[]) {
    const world = mockMarket([wait(86_400), ...steps], {
      maxRetries: 0,
      maxRateLimitHoldMs: 10_000,
    });
    await rejectionOf(world.market.orders.get('ord_1'));
    world.time.nowMs += 10_000;
    return world;
  }

  it.each<Step>(['refused', 'reset'])(
    'that fails without a response frees the next call at once: %s',
    async (failure) => {
      const { market, time } = await beforeProbe(failure, okResponse());
      await rejectionOf(market.orders.get('ord_1'));
      expect(market.rateLimitedUntil).toBeUndefined();
      await market.orders.get('ord_1');
      expect(time.slept).toEqual([]);
      expect(market.rateLimitedUntil).toBeUndefined();
    },
  );

  it.each([
    ['without a signal', () => ({}), {}],
    ['with a signal', () => ({ signal: new AbortController().signal }), {}],
    [
      'whose credentials come from a function',
      () => ({}),
      { keyId: undefined, secret: undefined, credentials: () => credential },
    ],
  ])('is one call only, of two that start together %s', async (_how, options, given) => {
    let respond!: (response: Response) => void;
    const slow = () => new Promise<Response>((resolve) => (respond = resolve));
    const { market, time, sent } = mockMarket([wait(86_400), slow], {
      maxRetries: 0,
      maxRateLimitHoldMs: 10_000,
      deadlineMs: 20_000,
      ...given,
    });
    await rejectionOf(market.orders.get('ord_1'));
    time.nowMs += 10_000;
    const probe = market.orders.get('ord_2', options());
    const next = market.orders.get('ord_3', options());
    await until(() => sent.length === 2);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
    expect(sent).toHaveLength(2);
    respond(okResponse());
    await probe;
    await until(() => sent.length === 3);
    respond(okResponse());
    await next;
  });

  it('whose own retry follows does not wait for itself', async () => {
    const { market, time } = await beforeProbe('refused', okResponse());
    await market.orders.get('ord_1', { maxRetries: 1 });
    expect(time.slept.every((ms) => ms < 1_000)).toBe(true);
  });

  it('that is limited for a second holds the others for that second', async () => {
    const { market, time } = await beforeProbe(wait(1), okResponse());
    await rejectionOf(market.orders.get('ord_1'));
    expect(market.rateLimitedUntil).toEqual(new Date(time.nowMs + 1_000));
  });

  it('that was never sent, as its signer threw, frees the next call at once', async () => {
    let signatures = 0;
    const sign = () => {
      signatures += 1;
      if (signatures === 2) throw new Error('the KMS is down');
      return 'a'.repeat(64);
    };
    const { market, time } = mockMarket([wait(86_400), okResponse()], {
      maxRetries: 0,
      maxRateLimitHoldMs: 10_000,
      keyId: undefined,
      secret: undefined,
      signer: { keyId: 'mk_sandbox_1f0c', sign },
    });
    await rejectionOf(market.orders.get('ord_1'));
    time.nowMs += 10_000;
    await rejectionOf(market.orders.get('ord_1'));
    expect(market.rateLimitedUntil).toBeUndefined();
    await market.orders.get('ord_1');
    expect(signatures).toBe(3);
  });
});

describe('a rate limit that says when to come back', () => {
  it('costs no attempt: only the deadline bounds the waits', async () => {
    const steps = [wait(1), wait(1), wait(1), wait(1), wait(1), okResponse()];
    const { market, sent } = mockMarket(steps);
    await market.orders.create(order);
    expect(sent).toHaveLength(6);
  });

  it('costs nothing of the retry budget, and leaves the retries of a paid order', async () => {
    const limits = new Map<string, number>();
    let failure: (() => Response) | undefined;
    const { market } = mockMarket(
      (request) => {
        if (request.method === 'POST') {
          const fail = failure;
          failure = undefined;
          return fail?.() ?? okResponse();
        }
        const name = new URL(request.url).pathname;
        const count = limits.get(name) ?? 0;
        limits.set(name, count + 1);
        return count < 2 ? wait(1)() : okResponse();
      },
      { deadlineMs: 100_000_000, validateResponses: 'off' },
    );
    const names = Array.from({ length: 500 }, (_, index) => `name-${index}.example`);
    for await (const { error } of market.domains.checkMany(names)) expect(error).toBeUndefined();
    for (const fail of [wait(1), wait(1, 503), errorResponse(500), () => HttpResponse.error()]) {
      failure = fail;
      await market.orders.create(order);
      expect(failure).toBeUndefined();
    }
  });

  it('lets an order go before the reads that wait', async () => {
    const begun: string[] = [];
    const { market } = mockMarket(
      (request, count) => {
        if (count === 1) return wait(5)();
        begun.push(`${request.method} ${new URL(request.url).pathname.split('/').at(-1)}`);
        return okResponse();
      },
      { validateResponses: 'off' },
    );
    await rejectionOf(market.orders.get('ord_1', { maxRetries: 0 }));
    const reads = ['ord_2', 'ord_3', 'ord_4'].map((id) => market.orders.get(id));
    const sale = market.orders.create(order);
    await Promise.all([...reads, sale]);
    expect(begun).toEqual(['POST orders', 'GET ord_2', 'GET ord_3', 'GET ord_4']);
  });
});

describe('failing reads', () => {
  it('take nothing from the retries of a paid order', async () => {
    let failOnce = true;
    const { market } = mockMarket((request) => {
      if (request.method === 'GET') return errorResponse(500)();
      const fails = failOnce;
      failOnce = false;
      return fails ? errorResponse(500)() : okResponse();
    });
    for (let call = 0; call < 80; call += 1) await rejectionOf(market.orders.get('ord_1'));
    await market.orders.create(order);
    expect(failOnce).toBe(false);
  });
});
