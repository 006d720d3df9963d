import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as sdk from 'market-partner-sdk';
import { endpoints } from '../../../src/client/endpoints.js';
import { factsOf, failed, nonces, refused } from './failed-calls.js';

const { ApiError, ForbiddenError, MarketError, ValidationError } = sdk;

type ErrorName = Extract<keyof typeof sdk, `${string}Error`>;

/** The error table of the specification, part 7, with the codes whose status is not shown. */
const byCode: [code: string, status: number, name: ErrorName][] = [
  ['validation_error', 400, 'ValidationError'],
  ['invalid_signature', 401, 'AuthenticationError'],
  ['missing_credentials', 401, 'AuthenticationError'],
  ['missing_signature_headers', 400, 'AuthenticationError'],
  ['invalid_timestamp', 400, 'AuthenticationError'],
  ['replay_detected', 409, 'AuthenticationError'],
  ['missing_idempotency_key', 400, 'ValidationError'],
  ['forbidden', 403, 'ForbiddenError'],
  ['not_found', 404, 'NotFoundError'],
  ['conflict', 409, 'ConflictError'],
  ['price_mismatch', 422, 'PriceMismatchError'],
  ['quote_expired', 422, 'QuoteExpiredError'],
  ['rate_limited', 429, 'RateLimitError'],
  ['internal_error', 500, 'InternalServerError'],
];

const byStatus: [status: number, name: ErrorName][] = [
  [400, 'ValidationError'],
  [401, 'AuthenticationError'],
  [403, 'ForbiddenError'],
  [404, 'NotFoundError'],
  [409, 'ConflictError'],
  [429, 'RateLimitError'],
  // Two codes share this status, and which of them it is cannot be told.
  [422, 'ApiError'],
  [402, 'ApiError'],
  [418, 'ApiError'],
  ...[500, 501, 502, 503, 504, 520, 599].map((status): (typeof byStatus)[number] => [
    status,
    'InternalServerError',
  ]),
];

describe('the class of a refusal', () => {
  it.each(byCode)('%s, as with %i, is %s, whatever its status', (code, status, name) => {
    for (const answered of [status, 400, 401, 418, 422, 500, 503]) {
      const error = refused(answered, { code, message: 'No.' });
      expect(error.constructor).toBe(sdk[name]);
      expect(error).toMatchObject({ name, response: { status: answered }, code });
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(MarketError);
    }
  });

  it.each(byStatus)('%i without a known code is %s', (status, name) => {
    for (const body of [{}, [], '', '<h1>Nginx</h1>', { code: '' }, { message: 'No.' }]) {
      const error = refused(status, body);
      expect(error.constructor).toBe(sdk[name]);
      expect(error.response.status).toBe(status);
      expect(error).not.toHaveProperty('code');
    }
    const unknown = refused(status, { code: 'a_code_of_tomorrow' });
    expect(unknown.constructor).toBe(sdk[name]);
    expect(unknown.code).toBe('a_code_of_tomorrow');
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'is not taken from what objects inherit: %s',
    (code) => {
      const error = refused(400, `{"code":${JSON.stringify(code)}}`);
      expect(error.constructor).toBe(ValidationError);
      expect(error.message).toBe(
        `POST /api/partner/v1/orders returned 400. This call placed no order.`,
      );
    },
  );

  it('is an ApiError for any status and any body', () => {
    const status = fc.integer({ min: 400, max: 599 });
    const body = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.record({ code: fc.string(), message: fc.string() }),
      fc.record({ error: fc.oneof(fc.string(), fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(status, body, (answered, sent) => {
        const error = refused(answered, sent);
        expect(error).toBeInstanceOf(ApiError);
        expect(error.response.status).toBe(answered);
        expect(error.message.length).toBeLessThan(1_500);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the facts of a refusal', () => {
  it('are those of the call and of the answer', () => {
    const headers = { 'x-request-id': 'req_1', date: 'Sat, 21 Nov 2026 08:00:00 GMT' };
    const call = failed(endpoints.orders.create, { nonces: nonces(3), outcome: 'unknown' });
    const body = { code: 'conflict', message: 'Used.', hint: { a: 1 } };
    expect(factsOf(refused(409, body, { call, headers }))).toEqual({
      method: 'POST',
      path: '/api/partner/v1/orders',
      attempts: 3,
      nonces: nonces(3),
      idempotencyKey: call.idempotencyKey,
      outcome: 'unknown',
      response: { status: 409, headers },
      code: 'conflict',
      requestId: 'req_1',
      body,
    });
  });

  it('have no idempotency key where none was sent', () => {
    const error = refused(404, { code: 'not_found' }, { call: failed(endpoints.orders.get) });
    expect(error).not.toHaveProperty('idempotencyKey');
    expect(error).not.toHaveProperty('requestId');
    expect(error).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    ['brokerage.openCase', endpoints.brokerage.openCase, 'broker', '"broker"'],
    ['orders.get', endpoints.orders.get, 'buy or search', '"buy" or "search"'],
  ])('name the scope that %s requires', (_name, endpoint, requiredScope, said) => {
    for (const body of [{ code: 'forbidden' }, '<h1>Forbidden</h1>']) {
      const error = refused(403, body, { call: failed(endpoint) });
      expect(error).toBeInstanceOf(ForbiddenError);
      expect(error).toMatchObject({ requiredScope });
      expect(error.message).toContain(`The credential needs the scope ${said}.`);
    }
  });

  it('name no scope where none is known, or where it is not what is missing', () => {
    const call = failed(endpoints.orders.get, { scopes: [] });
    const unknown = refused(403, { code: 'forbidden' }, { call });
    expect(unknown).not.toHaveProperty('requiredScope');
    expect(unknown.message).not.toContain('scope');
    expect(refused(401, { code: 'invalid_signature' })).not.toHaveProperty('requiredScope');
  });

  it.each([
    [429, 'rate_limited'],
    [503, undefined],
  ])('tell how long %i asks to wait', (status, code) => {
    const error = refused(status, { code }, { retryAfterMs: 1_200 });
    expect(error.retryAfterMs).toBe(1_200);
    expect(error.message).toContain('Retry after 2 s (retryAfterMs).');
  });
});
