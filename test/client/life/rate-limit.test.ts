/** Retry-After: a lower bound that holds every call of a client, and fails those that it cannot fit. */

import { describe, expect, it } from 'vitest';
import { HttpResponse } from 'msw';
import { RateLimitError } from 'market-partner-sdk';
import {
  done,
  failureOf,
  refusal,
  scriptedService,
  type Step,
} from '../../support/scripted-service.js';

const wait = (seconds: number | string, status = 429) =>
  refusal(status, status === 429 ? 'rate_limited' : undefined, { 'retry-after': `${seconds}` });

describe('a call that was told to wait', () => {
  it('fails now when the wait does not fit its deadline', async () => {
    const { market, time, dispatcher } = scriptedService([wait(60), done()], {
      deadlineMs: 60_000,
    });
    const error = await failureOf(market.orders.get('ord_1001'));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 60_000, attempts: 1, outcome: 'rejected' });
    expect(time.slept).toEqual([]);
    expect(dispatcher.sent).toHaveLength(1);
  });

  it('that was given up already says so, and not that the wait does not fit', async () => {
    const { market, dispatcher } = scriptedService([wait(60), done()], { deadlineMs: 30_000 });
    await failureOf(market.orders.get('ord_1001'));
    const signal = AbortSignal.abort(new Error('the user left'));
    const error = await failureOf(market.orders.get('ord_1001', { signal }));
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 0, outcome: 'not_sent' });
    expect(dispatcher.sent).toHaveLength(1);
  });

  it('waits when it fits by a millisecond', async () => {
    const { market, time } = scriptedService([wait(60), done()], { deadlineMs: 60_001 });
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([60_000]);
  });

  it('counts the waits that it has had against the deadline', async () => {
    const { market, time } = scriptedService([wait(50)], { deadlineMs: 120_000, maxRetries: 9 });
    const error = await failureOf(market.orders.get('ord_1001'));
    expect(time.slept).toEqual([50_000, 50_000]);
    expect(error).toMatchObject({ retryAfterMs: 50_000, attempts: 3 });
  });

  it('counts a faked wait that no clock saw, too', async () => {
    const slept: number[] = [];
    const { market } = scriptedService([wait(50)], {
      deadlineMs: 120_000,
      maxRetries: 9,
      clock: () => Date.UTC(2026, 10, 21),
      sleep: async (ms) => {
        slept.push(ms);
      },
    });
    await failureOf(market.orders.get('ord_1001'));
    expect(slept).toEqual([50_000, 50_000]);
  });

  it.each([
    ['a date', 'Sat, 21 Nov 2026 08:00:25 GMT', 25_000],
    ['a date that has passed', 'Sat, 21 Nov 2026 07:00:00 GMT', 0],
    ['fractions of a second', '0.5', 500],
  ])('reads %s', async (_what, value, retryAfterMs) => {
    const { market } = scriptedService([wait(value)], { maxRetries: 0 });
    expect(await failureOf(market.orders.get('ord_1001'))).toMatchObject({ retryAfterMs });
  });

  it.each(['-5', 'soon', '5 s', '1e9', ''])('does not guess at "%s"', async (value) => {
    const { market, time } = scriptedService([wait(value), done()]);
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([]);
  });

  it('waits on a 503 as well', async () => {
    const { market, time } = scriptedService([wait(4, 503), done()]);
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([4_000]);
  });
});

describe('the other calls of a client that was told to wait', () => {
  it('wait before they are sent, spread out by a back-off', async () => {
    const { market, time, dispatcher } = scriptedService([wait(30), done()], { maxRetries: 0 });
    await failureOf(market.orders.get('ord_1001'));
    time.random = 0.5;
    time.nowMs += 10_000;
    await market.orders.get('ord_1002');
    expect(time.slept).toEqual([20_250]);
    expect(dispatcher.sent).toHaveLength(2);
  });

  it('are sent at once when the time is over', async () => {
    const { market, time } = scriptedService([wait(30), done()], { maxRetries: 0 });
    await failureOf(market.orders.get('ord_1001'));
    time.nowMs += 30_000;
    await market.orders.get('ord_1002');
    expect(time.slept).toEqual([]);
  });

  it('wait for the longest of several, not for the last', async () => {
    const steps = [wait(30), wait(5, 503), done()];
    const { market, time } = scriptedService(steps, { maxRetries: 0 });
    await Promise.all([
      failureOf(market.orders.get('ord_1001')),
      failureOf(market.orders.get('ord_1002')),
    ]);
    await market.orders.get('ord_1003');
    expect(time.slept).toEqual([30_000]);
  });

  it('fail unsent when the wait does not fit', async () => {
    const { market, time, dispatcher } = scriptedService([wait(30), done()], { maxRetries: 0 });
    await failureOf(market.orders.get('ord_1001'));
    const error = await failureOf(
      market.orders.create({ domain: 'brew.example' }, { deadlineMs: 30_000 }),
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      name: 'RateLimitError',
      code: 'rate_limited',
      retryAfterMs: 30_000,
      attempts: 0,
      outcome: 'not_sent',
    });
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
    const { market, time } = scriptedService([step]);
    // While the order backs off, another call is told to wait longer than the order may.
    const sleep = async (ms: number) => {
      time.nowMs += ms;
      if (told) await failureOf(other.orders.get('ord_1001'));
    };
    const orders = market.withOptions({ sleep });
    const other = market.withOptions({ maxRetries: 0 });
    time.random = 0.5;
    const error = await failureOf(orders.orders.create({ domain: 'brew.example' }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
  });

  it('wait at the gate when it closes during their own back-off', async () => {
    const steps = [refusal(503), wait(30), done()];
    const { market, time, dispatcher } = scriptedService(steps);
    let other: Promise<unknown> | undefined;
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      other ??= failureOf(market.orders.get('ord_1002', { maxRetries: 0 }));
      await other;
      time.nowMs += ms;
    };
    time.random = 0.5;
    await market.withOptions({ sleep }).orders.get('ord_1001');
    expect(slept).toEqual([250, 29_750 + 250]);
    expect(dispatcher.sent).toHaveLength(3);
  });
});

describe('who shares the wait', () => {
  const held = async (options: Parameters<typeof scriptedService>[1]) => {
    const service = scriptedService([wait(30), done()], { maxRetries: 0 });
    await failureOf(service.market.orders.get('ord_1001'));
    await service.market.withOptions(options ?? {}).orders.get('ord_1002');
    return service.time.slept;
  };

  it('is a client made with other limits', async () => {
    expect(await held({ timeoutMs: 1_000 })).toEqual([30_000]);
  });

  it('is a client made with another logger', async () => {
    expect(await held({ logger: {} })).toEqual([30_000]);
  });

  it('is not a client of another credential', async () => {
    expect(await held({ keyId: 'mk_sandbox_2a2b' })).toEqual([]);
  });

  it('is not a client of another service', async () => {
    expect(await held({ baseUrl: 'https://market.example/other' })).toEqual([]);
  });

  it('is not a client on another clock, where the moment means nothing', async () => {
    expect(await held({ clock: () => 5 })).toEqual([]);
  });
});
