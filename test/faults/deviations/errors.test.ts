import { describe, expect, it } from 'vitest';
import { ApiError, PriceMismatchError, UnexpectedResponseError } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { json, recorded } from './deviating-service.js';

const sale = { domain: 'a.example', expected_price: 5, currency: 'USD' };
const refusalOf = (body: unknown, status = 422) =>
  rejectionOf(recorded(() => json(body, {}, status)).market.orders.create(sale));

describe('the documented code is found', () => {
  it.each<[string, unknown]>([
    ['{ code }', { code: 'price_mismatch', message: 'no' }],
    ['{ error: { code } }', { error: { code: 'price_mismatch', message: 'no' } }],
    ['{ error } alone', { error: 'price_mismatch' }],
    ['{ errors: [{ code }] }', { errors: [{ code: 'price_mismatch', message: 'no' }] }],
    ['JSON:API', { errors: [{ status: '422', code: 'price_mismatch', title: 'x', detail: 'no' }] }],
    ['RFC 9457', { type: 'https://m.example/errors/price-mismatch', title: 'x', status: 422 }],
    ['a URN', { type: 'urn:market:price_mismatch', status: 422, detail: 'no' }],
    ['FastAPI', { detail: { code: 'price_mismatch', message: 'no' } }],
    ['{ error_code }', { error_code: 'price_mismatch', error_message: 'no' }],
    ['{ errorCode }', { errorCode: 'priceMismatch' }],
    ['Stripe', { error: { type: 'price_mismatch', message: 'no' } }],
    ['Google', { error: { code: 422, status: 'PRICE_MISMATCH', message: 'no' } }],
    ['a reason', { error: { errors: [{ reason: 'price_mismatch', message: 'no' }] } }],
    ['upper case', { code: 'PRICE_MISMATCH' }],
    ['kebab case', { code: 'price-mismatch' }],
    ['camelCase', { code: 'priceMismatch' }],
    ['PascalCase', { error: { code: 'PriceMismatch' } }],
    ['beside a numeric code', { code: 1042, error: { code: 'price_mismatch' } }],
  ])('in %s', async (_form, body) => {
    const error = await refusalOf(body);
    expect(error).toBeInstanceOf(PriceMismatchError);
    expect(error).toMatchObject({ code: 'price_mismatch', outcome: 'rejected' });
  });

  it('and not in a word that HTTP has for its status', async () => {
    for (const [status, error] of [
      [403, 'Forbidden'],
      [409, 'Conflict'],
      [404, 'Not Found'],
    ] as const) {
      expect(await refusalOf({ statusCode: status, error, message: 'x' }, status)).toMatchObject({
        name: 'UnexpectedResponseError',
        outcome: 'unknown',
      });
    }
  });

  it('and a code of its own stays as it is', async () => {
    expect(await refusalOf({ errors: [{ code: 'DOMAIN_LOCKED' }] })).toBeInstanceOf(ApiError);
    expect(await refusalOf({ errors: [{ code: 'DOMAIN_LOCKED' }] })).toMatchObject({
      code: 'DOMAIN_LOCKED',
    });
  });
});

describe('an error of a write without a code', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'Laravel',
      { message: 'no', errors: { price: ['secret value'] } },
      /"message", "errors" \("price"\)/,
    ],
    [
      'Nest',
      { statusCode: 422, message: ['secret value'], error: 'Unprocessable Entity' },
      /"statusCode", "message", "error"/,
    ],
    ['a number', { code: 1042, message: 'secret value' }, /"code", "message"/],
    ['a list', [{ field: 'price', text: 'secret value' }], /a list of \["field", "text"\]/],
  ])('names the members and blames no gateway: %s', async (_form, body, named) => {
    const error = await refusalOf(body);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toMatch(named);
    expect(error.message).toContain('"the body of an error" in docs/assumptions.md');
    expect(error.message).not.toMatch(/secret value|baseUrl/);
  });

  it('may be a gateway’s if it is no JSON', async () => {
    const { market } = recorded(() => new Response('<html>', { status: 422 }));
    const error = await rejectionOf(market.orders.create(sale));
    expect(error.message).toContain("Is baseUrl the service's address?");
  });
});

describe('a 200 that states an error', () => {
  it.each<[string, unknown]>([
    ['{ error }', { error: { code: 'internal_error', message: 'x' } }],
    ['{ success: false }', { success: false, message: 'x' }],
    ['{ errors }', { errors: [{ message: 'x' }] }],
    ['beside an empty list', { orders: [], error: 'down' }],
    ['beside a record', { order: { public_id: 'ord_1' }, error: 'down' }],
  ])('is a failure: %s', async (_form, body) => {
    const { market } = recorded(() => body);
    for (const call of [market.orders.list(), market.orders.get('ord_1')]) {
      const error = await rejectionOf(call);
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toContain('docs/assumptions.md');
      expect(error.message).not.toContain('baseUrl');
    }
  });
});
