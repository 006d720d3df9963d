import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConnectionError,
  RateLimitError,
  TimeoutError,
  UnexpectedResponseError,
} from 'market-partner-sdk';
import { endpoints } from '../../../src/client/endpoints.js';
import {
  abortedError,
  connectionError,
  rateLimitHoldError,
  timeoutError,
  unexpectedError,
} from '../../../src/client/errors/create-error.js';
import { factsOf, failed, idempotencyKey, nonces, refused } from './failed-calls.js';

const order = endpoints.orders.create;
const orders = 'POST /api/partner/v1/orders';
const mayExist = `The order may exist. Give the stored sale and its idempotencyKey to orders.resume. Retrying yourself with the same key is safe only until the service forgets it.`;
const limits = { timeoutMs: 30_000, deadlineMs: 120_000 };

describe('the message of a refusal', () => {
  it('names the call, the status, the code, what the service said, and what to do', () => {
    const body = { code: 'price_mismatch', message: 'The price is 300 now.' };
    expect(refused(422, body).message).toBe(
      `${orders} returned 422 (price_mismatch: The price is 300 now.). To order at a new quote, never above expected_price, call orders.resume(sale, { requote: 'at_most_paid' }). It derives a new key. A different input with this key returns 409. This call placed no order.`,
    );
  });

  it('names the attempts, and why there is no further one', () => {
    const call = failed(order, {
      nonces: nonces(3),
      outcome: 'unknown',
      stopReason: 'not retried: deadline reached',
    });
    expect(refused(503, '', { call }).message).toBe(
      `${orders} returned 503 after 3 attempts (not retried: deadline reached). ${mayExist}`,
    );
  });

  it.each([
    ['invalid_signature', 'explainSignature'],
    ['missing_credentials', 'proxy that drops headers'],
    ['missing_signature_headers', 'proxy that drops headers'],
    ['missing_idempotency_key', 'proxy that drops headers'],
    ['invalid_timestamp', 'clock is more than 300 seconds off'],
    ['replay_detected', 'proxy that resends'],
    ['validation_error', 'field that the service names'],
    ['not_found', 'not listed'],
    ['conflict', 'used before with a different input'],
    ['quote_expired', 'ten minutes'],
  ])('advises on %s', (code, advice) => {
    expect(refused(400, { code }).message).toContain(advice);
  });

  it.each([
    [404, 'not listed'],
    [409, 'used before with a different input'],
  ])('advises on %i without a code', (status, advice) => {
    expect(refused(status, '').message).toContain(advice);
  });

  it('of a quote advises no order', () => {
    const call = failed(endpoints.orders.quote);
    expect(refused(422, { code: 'price_mismatch' }, { call }).message).toContain(
      'ask the buyer before you continue. Nothing was done.',
    );
  });

  it('has the words of the service on one line, without secrets, keys and what is invisible', () => {
    const secret = 'kept "between" us';
    const call = failed(order, { secrets: [secret] });
    const words = (message: string) =>
      /returned 400 \(validation_error: (.*)\)\. /.exec(
        refused(400, { code: 'validation_error', message }, { call }).message,
      )?.[1];
    expect(words('buyer.country must be two letters')).toBe('buyer.country must be two letters');
    expect(words(' a\r\n\tb\u202e c\u2028\ud800d\u001b[2J ')).toBe('a b c d [2J');
    expect(words(`key ${idempotencyKey} of ${secret}`)).toBe('key [redacted] of [redacted]');
    expect(words(`kept\u200b "between"\nus ${encodeURIComponent(secret)}`)).toBe(
      '[redacted] [redacted]',
    );
    expect(words(`${'x'.repeat(195)}${secret}`)).toBe(`${'x'.repeat(195)}[red…`);
    expect(words('x'.repeat(201))).toHaveLength(200);
  });

  it('has the status of a refusal without a code', () => {
    expect(refused(418, { message: 'short and stout' }).message).toMatch(
      /returned 418 \(short and stout\)\./,
    );
  });

  it('is bounded, whatever the service sends', () => {
    const long = 'x'.repeat(60_000);
    const error = refused(400, { code: long, message: long });
    expect(error.message.length).toBeLessThan(800);
    expect(error.code).toBe(long);
  });
});

describe('the message about what was done', () => {
  const told = (
    endpoint: Parameters<typeof failed>[0],
    outcome: 'not_sent' | 'rejected' | 'unknown',
  ) => connectionError(failed(endpoint, { outcome }), { kind: 'connection_lost' }).message;

  it.each([
    [
      'a read',
      endpoints.orders.get,
      'GET /api/partner/v1/orders/x_1 may have been sent, and got no response.',
    ],
    ['an order', order, `${orders} may have been sent, and got no response. ${mayExist}`],
    [
      'what can be repeated',
      endpoints.orders.quote,
      'POST /api/partner/v1/quotes may have been sent, and got no response. It may have been processed. Retrying is safe.',
    ],
    [
      'a refund',
      endpoints.orders.refund,
      'POST /api/partner/v1/refunds may have been sent, and got no response. It may have been processed. Check before you retry, with orders.resumeRefund.',
    ],
    [
      'a case',
      endpoints.brokerage.openCase,
      'POST /api/partner/v1/brokerage may have been sent, and got no response. It may have been processed. Check before you retry, with brokerage.resumeCase.',
    ],
  ])('of %s whose outcome is unknown', (_what, endpoint, message) => {
    expect(told(endpoint, 'unknown')).toBe(message);
  });

  it('of another call that could do harm says to look first', () => {
    const call = failed(endpoints.orders.refund, { lookUpHint: undefined, outcome: 'unknown' });
    expect(connectionError(call, { kind: 'connection_lost' }).message).toContain(
      'Check before you retry.',
    );
  });

  // The refund or the case of a call whose response was lost is there, though its repeat is refused.
  it.each([
    ['orders.resumeRefund', endpoints.orders.refund],
    ['brokerage.resumeCase', endpoints.brokerage.openCase],
  ])('of a refused write leaves an earlier one to %s', (method, endpoint) => {
    expect(told(endpoint, 'rejected')).toMatch(
      /This call changed nothing, but an earlier one may have/,
    );
    expect(told(endpoint, 'rejected')).toContain(`Check with ${method}.`);
    expect(told(endpoint, 'rejected')).not.toContain('Nothing was done.');
  });

  it('is short where nothing was done', () => {
    expect(told(order, 'not_sent')).toBe(
      `${orders} may have been sent, and got no response. Nothing was sent.`,
    );
    expect(told(order, 'rejected')).toBe(
      `${orders} may have been sent, and got no response. This call placed no order.`,
    );
    expect(told(endpoints.orders.quote, 'rejected')).toMatch(
      /got no response\. Nothing was done\.$/,
    );
    expect(told(endpoints.orders.get, 'not_sent')).toMatch(/got no response\. Nothing was sent\.$/);
    expect(told(endpoints.orders.get, 'rejected')).toMatch(
      /x_1 may have been sent, and got no response\.$/,
    );
  });
});

describe('the errors of calls without an answer', () => {
  const unknownAfter = (attempts: number) => ({
    ...{ method: 'POST', path: '/api/partner/v1/orders', idempotencyKey },
    ...{ attempts, nonces: nonces(attempts), outcome: 'unknown' },
  });

  it('a connection that was lost, with the head of the answer if there was one', () => {
    const cause = new Error('terminated');
    const call = failed(order, { nonces: nonces(2), outcome: 'unknown' });
    const head = { status: 201, headers: { 'x-request-id': 'req_1' } };
    const error = connectionError(call, { kind: 'connection_lost', cause, head });
    expect(error.constructor).toBe(ConnectionError);
    expect(error.cause).toBe(cause);
    expect(factsOf(error)).toEqual({ ...unknownAfter(2), response: head });
    const headless = connectionError(call, { kind: 'connection_lost', cause });
    expect(headless).not.toHaveProperty('response');
  });

  it.each([
    ['attempt', 'got no complete response within 30000 ms (timeoutMs)'],
    ['deadline', 'ran out of its 120000 ms (deadlineMs)'],
  ] as const)('out of time for the %s', (which, what) => {
    const error = timeoutError(failed(order, { outcome: 'unknown' }), which, limits, {});
    expect(error.constructor).toBe(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(factsOf(error)).toEqual({ ...unknownAfter(1), which });
    expect(error.message).toBe(`${orders} ${what}. ${mayExist}`);
  });

  it('ended by the caller, with the signal’s reason', () => {
    const reason = { why: 'closed tab' };
    const error = abortedError(failed(order, { nonces: nonces(0), outcome: 'not_sent' }), reason);
    expect(error.constructor).toBe(AbortedError);
    expect(error).not.toBeInstanceOf(ConnectionError);
    expect(error.cause).toBe(reason);
    expect(factsOf(error)).toEqual({ ...unknownAfter(0), outcome: 'not_sent' });
    expect(error.message).toBe(`${orders} was aborted by the caller's signal. Nothing was sent.`);
  });

  it('held back by an earlier Retry-After', () => {
    const call = failed(order, { nonces: [], outcome: 'not_sent' });
    const error = rateLimitHoldError(call, 90_500, new Date('2026-11-21T08:01:30.500Z'));
    expect(error.constructor).toBe(RateLimitError);
    expect(error).toMatchObject({
      response: { status: 429 },
      code: 'rate_limited',
      retryAfterMs: 90_500,
    });
    expect(error.message).toBe(
      `${orders} was rate-limited until 2026-11-21T08:01:30.500Z, 91 s from now, past this call's deadline. Nothing was sent.`,
    );
  });

  it('answered by a gateway', () => {
    const answer = { status: 200, headers: {}, requestId: undefined, body: '<html>' };
    const call = failed(order, { outcome: 'unknown' });
    const error = unexpectedError(call, answer, 'a body that is not JSON');
    expect(error.constructor).toBe(UnexpectedResponseError);
    const response = { status: 200, headers: {} };
    expect(factsOf(error)).toEqual({ ...unknownAfter(1), response, body: '<html>' });
    expect(error.message).toBe(
      `${orders} got a response with a body that is not JSON. Is baseUrl the service's address? A gateway or proxy may have answered in its place. ${mayExist}`,
    );
  });
});
