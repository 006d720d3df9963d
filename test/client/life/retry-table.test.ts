/** The retry table of the documentation, row by row, on real calls. */

import { describe, expect, it } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InternalServerError,
  NotFoundError,
  PriceMismatchError,
  RateLimitError,
  ValidationError,
} from 'market-partner-sdk';
import { allCalls, harmfulCalls, repeatableCalls, safeCalls } from '../../support/calls.js';
import {
  done,
  failureOf,
  refusal,
  scriptedService,
  type Step,
} from '../../support/scripted-service.js';

const usable = { date: 'Sat, 21 Nov 2026 09:00:00 GMT' };
const reads = ['domains.search', 'orders.get'];

const all = Object.entries(allCalls);
const harmless = Object.entries({ ...safeCalls, ...repeatableCalls });
const harmful = Object.entries(harmfulCalls);

describe('a failure that is followed by another attempt', () => {
  const ofAllCalls: [string, Step][] = [
    ['a refused connection', 'refused'],
    ['429 rate_limited', refusal(429, 'rate_limited', { 'retry-after': '3' })],
    ['429 without a code or a Retry-After', refusal(429)],
    ['500 internal_error', refusal(500, 'internal_error')],
    ['invalid_timestamp with a usable Date', refusal(401, 'invalid_timestamp', usable)],
    ['invalid_timestamp of another status', refusal(400, 'invalid_timestamp', usable)],
  ];
  describe.each(ofAllCalls)('%s', (_what, step) => {
    it.each(all)('is repeated for %s, which then succeeds', async (_name, call) => {
      const { market, dispatcher } = scriptedService([step, done()]);
      await call(market);
      expect(dispatcher.sent).toHaveLength(step === 'refused' ? 1 : 2);
    });
  });

  const ofHarmlessCalls: [string, Step][] = [
    ['a reset after sending', 'reset'],
    ['500 without a code', refusal(500)],
    ['502', refusal(502)],
    ['503', refusal(503)],
    ['504', refusal(504)],
    ['replay_detected', refusal(401, 'replay_detected')],
  ];
  describe.each(ofHarmlessCalls)('%s', (_what, step) => {
    it.each(harmless)('is repeated for %s', async (_name, call) => {
      const { market, dispatcher } = scriptedService([step, done()]);
      await call(market);
      expect(dispatcher.sent).toHaveLength(2);
    });

    it.each(harmful)('ends %s at once, as it may have been done', async (_name, call) => {
      const { market, time, dispatcher } = scriptedService([step, done()]);
      const error = await failureOf(call(market));
      expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
      expect(dispatcher.sent).toHaveLength(1);
      expect(time.slept).toEqual([]);
    });
  });

  it('waits a jittered back-off that doubles up to its bound', async () => {
    const { market, time } = scriptedService([refusal(503)], { maxRetries: 7 });
    time.random = 0.5;
    await failureOf(market.orders.get('ord_1001'));
    expect(time.slept).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('waits Retry-After and a back-off on top of it', async () => {
    const wait = refusal(429, 'rate_limited', { 'retry-after': '7' });
    const { market, time } = scriptedService([wait, done()]);
    time.random = 0.5;
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([7_250]);
  });

  it('waits for nothing where the service said what to correct', async () => {
    const { market, time } = scriptedService([
      refusal(401, 'invalid_timestamp', usable),
      refusal(401, 'replay_detected'),
      done(),
    ]);
    time.random = 0.5;
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([]);
  });
});

describe('a failure that lasts', () => {
  const lasting = [
    ['a refused connection', 'refused', ConnectionError, 'not_sent'],
    ['429', refusal(429, 'rate_limited'), RateLimitError, 'rejected'],
    ['500', refusal(500, 'internal_error'), InternalServerError, 'unknown'],
  ] as const;
  describe.each(lasting)('%s', (_what, step, errorClass, outcome) => {
    it.each(all)('ends %s after the attempts that it has', async (_name, call) => {
      const { market, dispatcher } = scriptedService([step], { maxRetries: 3 });
      const error = await failureOf(call(market));
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ attempts: 4, outcome });
      expect(dispatcher.sent).toHaveLength(step === 'refused' ? 0 : 4);
    });
  });

  it.each(harmless)('ends %s, reset each time, with an unknown outcome', async (name, call) => {
    const { market, dispatcher } = scriptedService(['reset']);
    const error = await failureOf(call(market));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, outcome: 'unknown' });
    expect(error.idempotencyKey === undefined).toBe(name !== 'orders.create');
    expect(dispatcher.sent).toHaveLength(3);
  });

  it('is repeated once with a new nonce, and no more', async () => {
    const { market, dispatcher } = scriptedService([refusal(401, 'replay_detected')]);
    const error = await failureOf(market.orders.get('ord_1001'));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(dispatcher.sent).toHaveLength(2);
  });

  it('is repeated once with a corrected clock, and no more', async () => {
    const { market, dispatcher } = scriptedService([refusal(401, 'invalid_timestamp', usable)]);
    const error = await failureOf(market.orders.refund({ public_id: 'ord_1001' }));
    expect(error).toMatchObject({ code: 'invalid_timestamp', attempts: 2, outcome: 'rejected' });
    expect(dispatcher.sent).toHaveLength(2);
  });

  it('has one attempt where maxRetries is 0', async () => {
    for (const step of ['refused', 'reset', refusal(429), refusal(500)] as const) {
      const { market } = scriptedService([step], { maxRetries: 0 });
      const error = await failureOf(market.orders.quote({ domain: 'brew.example' }));
      expect(error.attempts).toBe(1);
    }
  });

  it("has the call's own maxRetries over the client's", async () => {
    const { market } = scriptedService([refusal(503)], { maxRetries: 0 });
    const error = await failureOf(market.orders.get('ord_1001', { maxRetries: 4 }));
    expect(error.attempts).toBe(5);
  });
});

describe('a refusal that a repeat cannot mend', () => {
  const final = [
    [400, 'validation_error', ValidationError],
    [401, 'invalid_signature', AuthenticationError],
    [404, 'not_found', NotFoundError],
    [409, 'conflict', ConflictError],
    [422, 'price_mismatch', PriceMismatchError],
    [418, 'a_code_of_tomorrow', ApiError],
    [408, undefined, ApiError],
    [409, undefined, ConflictError],
  ] as const;
  describe.each(final)('%s %s', (status, code, errorClass) => {
    it.each(all)('ends %s after one attempt', async (_name, call) => {
      const { market, time, dispatcher } = scriptedService([refusal(status, code), done()]);
      const error = await failureOf(call(market));
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ status, attempts: 1, outcome: 'rejected' });
      expect(dispatcher.sent).toHaveLength(1);
      expect(time.slept).toEqual([]);
    });
  });

  it.each(reads)('501 ends %s, since it is not among those that pass', async (name) => {
    const { market } = scriptedService([refusal(501), done()]);
    const error = await failureOf(allCalls[name]!(market));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 501, attempts: 1 });
  });
});
