/** What a failed call tells of the work: the worst of what any of its attempts may have done. */

import { describe, expect, it } from 'vitest';
import { ApiError, UnexpectedResponseError } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import { errorResponse, mockMarket, type Step, okResponse } from '../../../support/mock-market.js';

const order = { domain: 'brew.example', expected_price: 250_000 };
const limited = errorResponse(429, 'rate_limited');
const mismatch = errorResponse(422, 'price_mismatch');
const replayed = errorResponse(401, 'replay_detected');
const html = (status: number) => () =>
  new Response('<html>oops</html>', { status, headers: { 'content-type': 'text/html' } });

describe('the outcome of an order', () => {
  const cases: [string, readonly Step[], number, string][] = [
    ['refused connections only', ['refused'], 3, 'not_sent'],
    ['a rate limit that lasts', [limited], 3, 'rejected'],
    ['a refused connection, then a refusal', ['refused', mismatch], 2, 'rejected'],
    ['a rate limit, then a refusal', [limited, mismatch], 2, 'rejected'],
    ['a rate limit, then refused connections', [limited, 'refused'], 3, 'rejected'],
    ['a 500, then a refusal', [errorResponse(500, 'internal_error'), mismatch], 2, 'unknown'],
    ['a reset, then a refusal', ['reset', mismatch], 2, 'unknown'],
    ['a reset, then refused connections', ['reset', 'refused'], 3, 'unknown'],
    ['a 503, then a rate limit', [errorResponse(503), limited], 3, 'unknown'],
    ["a gateway's 502, then a conflict", [html(502), errorResponse(409, 'conflict')], 2, 'unknown'],
    ['a nonce that a copy of it used', [replayed, mismatch], 2, 'unknown'],
    ['a success that is not JSON', [html(200)], 1, 'unknown'],
  ];
  it.each(cases)('after %s', async (_what, steps, attempts, outcome) => {
    const { market } = mockMarket(steps);
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ attempts, outcome, method: 'POST' });
    expect(error.path).toBe('/api/partner/v1/orders');
    expect(error.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the outcome of a read', () => {
  it('is rejected when a nonce was used before: a read does nothing', async () => {
    const { market } = mockMarket([replayed]);
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ outcome: 'rejected' });
  });
});

describe('an error without a code', () => {
  const pages: [string, number, string, string][] = [
    ["a proxy's page", 404, 'text/html', '<html>404 Not Found</html>'],
    ["a gateway's message", 404, 'application/json', '{"message":"no Route matched"}'],
    ["a gateway's word", 401, 'application/json', '{"error":"Unauthorized"}'],
    ['an empty body', 403, 'text/plain', ''],
    ['a status in the place of the code', 400, 'application/json', '{"code":400}'],
  ];
  const respond = (status: number, type: string, body: string) => () =>
    new Response(body, { status, headers: { 'content-type': type } });

  it.each(pages)('%s says nothing of an order', async (_what, status, type, body) => {
    const { market, sent } = mockMarket([respond(status, type, body), okResponse()]);
    const error = await rejectionOf(market.orders.create(order, { idempotencyKey: 'basket-7' }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ response: { status }, attempts: 1, outcome: 'unknown' });
    expect(error.message).toMatch(/The order may exist\..*idempotencyKey to orders\.resume/);
    expect(error).toMatchObject({ idempotencyKey: 'basket-7' });
    expect(error.message).not.toContain('placed no order');
    expect(sent).toHaveLength(1);
  });

  it.each(pages)('%s has the class of its status on a read', async (_what, status, type, body) => {
    const { market } = mockMarket([respond(status, type, body)]);
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ response: { status }, outcome: 'rejected' });
  });

  it('of status 429 is a rate limit, and one with a code that is new an ApiError', async () => {
    const limited = mockMarket([errorResponse(429)], { maxRetries: 0 });
    expect(await rejectionOf(limited.market.orders.create(order))).toMatchObject({
      name: 'RateLimitError',
      outcome: 'rejected',
    });
    const { market } = mockMarket([errorResponse(422, 'a_code_of_tomorrow')]);
    expect(await rejectionOf(market.orders.create(order))).toMatchObject({
      name: 'ApiError',
      outcome: 'rejected',
    });
  });
});

describe('a refusal of an order', () => {
  it('speaks of this call alone, and of earlier ones where the key is the caller’s', async () => {
    const { market } = mockMarket([mismatch]);
    const own = await rejectionOf(market.orders.create(order));
    expect(own.message).toMatch(/This call placed no order\.$/);
    const repeated = await rejectionOf(market.orders.create(order, { idempotencyKey: 'basket-7' }));
    expect(repeated.message).toMatch(
      /This call placed no order\. An earlier call with this idempotencyKey may have placed the order\.$/,
    );
  });

  it.each(['missing_idempotency_key', 'missing_signature_headers', 'missing_credentials'])(
    'by %s is a proxy’s doing: no verdict on the sale',
    async (code) => {
      const { market } = mockMarket([errorResponse(400, code)]);
      const error = await rejectionOf(market.orders.create(order));
      expect(error).toMatchObject({ code, outcome: 'unknown' });
      expect(error.message).toMatch(/proxy that drops headers.*The order may exist/);
    },
  );
});

describe('a success that is not of this API', () => {
  const bodies = [
    { status: 'ok' },
    { message: 'We will be back soon' },
    { error: { code: 'internal_error', message: 'Oops.' } },
    null,
    [],
    'done',
    { public_id: null },
  ];
  it.each(bodies.map((body) => [JSON.stringify(body), body]))(
    '%s is no order and no checkout session',
    async (_text, body) => {
      const { market, sent } = mockMarket([() => Response.json(body)]);
      const calls = [
        market.orders.create(order),
        market.request({ method: 'POST', path: '/orders', body: { domain: 'brew.example' } }),
        market.checkout.createSession({
          domain: 'brew.example',
          return_url: 'https://a.example/',
          cancel_url: 'https://a.example/',
        }),
      ];
      for (const call of calls) {
        const error = await rejectionOf(call);
        expect(error).toBeInstanceOf(UnexpectedResponseError);
        expect(error).toMatchObject({ response: { status: 200 }, outcome: 'unknown', body });
      }
      expect(sent).toHaveLength(3);
    },
  );

  it('is no refund where it is no record', async () => {
    const { market } = mockMarket([() => Response.json(null)]);
    const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1001' }));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown' });
  });

  it('is found in an envelope, and may lack every other field', async () => {
    for (const body of [{ order: { public_id: 'o' } }, { data: { order: { public_id: 'o' } } }]) {
      const { market } = mockMarket([() => Response.json(body)]);
      await market.orders.create(order);
    }
  });
});

describe('the nonces of a call', () => {
  it('are on its error: one for each attempt, as they were sent', async () => {
    const { market, sent } = mockMarket(['reset', mismatch]);
    const error = await rejectionOf(market.orders.create(order));
    expect(error.nonces).toEqual(sent.map(({ headers }) => headers['x-market-nonce']));
    expect(error.toJSON()).toHaveProperty('nonces', error.nonces);
  });

  it('are none where nothing was sent', async () => {
    const { market } = mockMarket([okResponse()]);
    expect((await rejectionOf(market.orders.get('..'))).nonces).toEqual([]);
    await market.close();
    expect((await rejectionOf(market.orders.get('ord_1001'))).nonces).toEqual([]);
  });
});
