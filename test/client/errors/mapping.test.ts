import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  MarketError,
  NotFoundError,
  PriceMismatchError,
  QuoteExpiredError,
  RateLimitError,
  ValidationError,
} from 'market-partner-sdk';
import { endpoints } from '../../../src/client/endpoints.js';
import { factsOf, failed, nonces, refused } from './failed-calls.js';

/** The error table of the specification, part 7, with the codes whose status is not shown. */
const byCode = [
  { code: 'validation_error', status: 400, expected: ValidationError },
  { code: 'invalid_signature', status: 401, expected: AuthenticationError },
  { code: 'missing_credentials', status: 401, expected: AuthenticationError },
  { code: 'missing_signature_headers', status: 400, expected: AuthenticationError },
  { code: 'invalid_timestamp', status: 400, expected: AuthenticationError },
  { code: 'replay_detected', status: 409, expected: AuthenticationError },
  { code: 'missing_idempotency_key', status: 400, expected: ValidationError },
  { code: 'forbidden', status: 403, expected: ForbiddenError },
  { code: 'not_found', status: 404, expected: NotFoundError },
  { code: 'conflict', status: 409, expected: ConflictError },
  { code: 'price_mismatch', status: 422, expected: PriceMismatchError },
  { code: 'quote_expired', status: 422, expected: QuoteExpiredError },
  { code: 'rate_limited', status: 429, expected: RateLimitError },
  { code: 'internal_error', status: 500, expected: InternalServerError },
];

const byStatus = [
  { status: 400, expected: ValidationError },
  { status: 401, expected: AuthenticationError },
  { status: 403, expected: ForbiddenError },
  { status: 404, expected: NotFoundError },
  { status: 409, expected: ConflictError },
  { status: 429, expected: RateLimitError },
  // Two codes share this status, and which of them it is cannot be told.
  { status: 422, expected: ApiError },
  { status: 402, expected: ApiError },
  { status: 418, expected: ApiError },
  ...[500, 501, 502, 503, 504, 520, 599].map((status) => ({
    status,
    expected: InternalServerError,
  })),
];

describe('the class of a refusal', () => {
  it.each(byCode)('$code is $expected.name, whatever its status', ({ code, status, expected }) => {
    for (const answered of [status, 400, 401, 418, 422, 500, 503]) {
      const error = refused(answered, { code, message: 'No.' });
      expect(error.constructor).toBe(expected);
      expect(error).toMatchObject({ name: expected.name, response: { status: answered }, code });
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(MarketError);
    }
  });

  it.each(byStatus)('$status without a known code is $expected.name', ({ status, expected }) => {
    for (const body of [{}, [], '', '<h1>Nginx</h1>', { code: '' }, { message: 'No.' }]) {
      const error = refused(status, body);
      expect(error.constructor).toBe(expected);
      expect(error.response.status).toBe(status);
      expect(error).not.toHaveProperty('code');
    }
    const unknown = refused(status, { code: 'a_code_of_tomorrow' });
    expect(unknown.constructor).toBe(expected);
    expect(unknown.code).toBe('a_code_of_tomorrow');
  });

  it.each(byCode)('$code is found in each of the three shapes', ({ code, status, expected }) => {
    const message = 'Because.';
    for (const body of [
      { code, message },
      { error: { code, message } },
      { error: code, message },
    ]) {
      const error = refused(status, body);
      expect(error.constructor).toBe(expected);
      expect(error.code).toBe(code);
      expect(error.message).toContain('Because.');
      expect(error.body).toEqual(body);
    }
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
