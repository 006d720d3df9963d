/**
 * The retry decision on real calls: one row for each kind of cell. The whole table is in
 * test/client/engine/retry/decide-retry.test.ts, life.properties.test.ts holds it against a model, and
 * test/faults/calls/every-fault.test.ts meets every call with every fault.
 */

import { describe, expect, it } from 'vitest';
import { ConnectionError, InternalServerError, RateLimitError } from 'market-partner-sdk';
import { allCalls, harmfulCalls, repeatableCalls, safeCalls } from '../../../support/calls.js';
import { rejectionOf } from '../../../support/errors.js';
import { errorResponse, mockMarket, okResponse, type Step } from '../../../support/mock-market.js';

const date = 'Sat, 21 Nov 2026 08:00:00 GMT';
const late = errorResponse(401, 'invalid_timestamp', { date: 'Sat, 21 Nov 2026 09:00:00 GMT' });
const wait = errorResponse(429, 'rate_limited', { 'retry-after': '3' });

const all = Object.entries(allCalls);
const harmless = Object.entries({ ...safeCalls, ...repeatableCalls });

describe('a failure after which the work may have been done', () => {
  const mayHaveBeenDone: [string, Step][] = [
    ['a reset after sending', 'reset'],
    ['500 internal_error', errorResponse(500, 'internal_error')],
    ['503', errorResponse(503)],
    ...[408, 425, 507, 520, 524, 599].map((status): [string, Step] => [
      `${status}`,
      errorResponse(status),
    ]),
    ['replay_detected', errorResponse(401, 'replay_detected')],
  ];
  it.each(mayHaveBeenDone)(
    '%s is repeated for each call that does no harm',
    async (_what, step) => {
      for (const [name, call] of harmless) {
        const { market, sent } = mockMarket([step, okResponse()]);
        await call(market);
        expect(sent, name).toHaveLength(2);
      }
    },
  );

  it.each(mayHaveBeenDone)('%s ends a call that could do harm at once', async (_what, step) => {
    for (const [name, call] of Object.entries(harmfulCalls)) {
      const { market, time, sent } = mockMarket([step, okResponse()]);
      const error = await rejectionOf(call(market));
      expect(error, name).toMatchObject({ attempts: 1, outcome: 'unknown' });
      expect(error.message).toMatch(/not retried: not idempotent/);
      expect(error.message).toMatch(/Check before you retry, with \w+\.resume\w+/);
      expect([sent.length, time.slept], name).toEqual([1, []]);
    }
  });
});

describe('a wait between attempts', () => {
  it.each([408, 425, 503, 522])('is the Retry-After of a %i', async (status) => {
    const { market, time } = mockMarket([
      errorResponse(status, undefined, { 'retry-after': '2, Sat, 21 Nov 2026 08:00:03 GMT', date }),
      okResponse(),
    ]);
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([3_000]);
  });

  it('is a jittered back-off that doubles up to its bound', async () => {
    const { market, time } = mockMarket([errorResponse(503)], { maxRetries: 7 });
    time.random = 0.5;
    await rejectionOf(market.orders.get('ord_1001'));
    expect(time.slept).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('is Retry-After and a back-off on top of it', async () => {
    const { market, time } = mockMarket([wait, okResponse()]);
    time.random = 0.5;
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([3_250]);
  });

  it('is left out where the service said what to correct', async () => {
    const steps = [late, errorResponse(401, 'replay_detected'), okResponse()];
    const { market, time } = mockMarket(steps);
    time.random = 0.5;
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([]);
  });
});

describe('a failure that lasts', () => {
  it.each([
    ['a refused connection', 'refused', ConnectionError, 'not_sent'],
    ['429', errorResponse(429, 'rate_limited'), RateLimitError, 'rejected'],
    ['500', errorResponse(500, 'internal_error'), InternalServerError, 'unknown'],
    ['a reset', 'reset', ConnectionError, 'unknown'],
  ] as const)('%s ends the call after its attempts', async (_what, step, errorClass, outcome) => {
    for (const [name, call] of harmless) {
      const { market, sent } = mockMarket([step], { maxRetries: 3 });
      const error = await rejectionOf(call(market));
      expect(error, name).toBeInstanceOf(errorClass);
      expect(error, name).toMatchObject({ attempts: 4, outcome });
      expect(error.nonces, name).toHaveLength(4);
      expect(sent, name).toHaveLength(step === 'refused' ? 0 : 4);
    }
  });

  it('is repeated once with a new nonce, and once with a corrected clock, and no more', async () => {
    for (const step of [errorResponse(401, 'replay_detected'), late]) {
      const { market, sent } = mockMarket([step], { maxRetries: 9 });
      expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ attempts: 2 });
      expect(sent).toHaveLength(2);
    }
  });

  it('has one attempt where maxRetries is 0', async () => {
    for (const step of ['refused', 'reset', errorResponse(429), errorResponse(500)] as const) {
      const { market } = mockMarket([step], { maxRetries: 0 });
      const error = await rejectionOf(market.orders.quote({ domain: 'brew.example' }));
      expect(error.attempts).toBe(1);
    }
  });

  it("has the call's own maxRetries over the client's", async () => {
    const { market } = mockMarket([errorResponse(503)], { maxRetries: 0 });
    const error = await rejectionOf(market.orders.get('ord_1001', { maxRetries: 4 }));
    expect(error.attempts).toBe(5);
  });
});

describe('an error that a repeat cannot change', () => {
  it.each([
    [400, undefined],
    [404, 'not_found'],
    [409, 'conflict'],
    [418, 'a_code_of_tomorrow'],
    [501, undefined],
    [505, undefined],
  ])('%s %s ends every call after one attempt', async (status, code) => {
    for (const [name, call] of all) {
      const { market, time, sent } = mockMarket([errorResponse(status, code), okResponse()]);
      const error = await rejectionOf(call(market));
      expect(error, name).toMatchObject({ response: { status }, attempts: 1 });
      expect(sent, name).toHaveLength(1);
      expect(time.slept, name).toEqual([]);
      if (code !== undefined) expect(error, name).toHaveProperty('outcome', 'rejected');
    }
  });
});
