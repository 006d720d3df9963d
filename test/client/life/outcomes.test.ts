/** What a failed call tells of the work: the worst of what any of its attempts may have done. */

import { describe, expect, it } from 'vitest';
import { failureOf, refusal, scriptedService, type Step } from '../../support/scripted-service.js';

const limited = refusal(429, 'rate_limited');
const mismatch = refusal(422, 'price_mismatch');
const html = (status: number) => () =>
  new Response('<html>oops</html>', { status, headers: { 'content-type': 'text/html' } });

describe('the outcome of an order', () => {
  const cases: [string, readonly Step[], number, string][] = [
    ['refused connections only', ['refused'], 3, 'not_sent'],
    ['a rate limit that lasts', [limited], 3, 'rejected'],
    ['a refused connection, then a refusal', ['refused', mismatch], 2, 'rejected'],
    ['a rate limit, then a refusal', [limited, mismatch], 2, 'rejected'],
    ['a rate limit, then refused connections', [limited, 'refused'], 3, 'rejected'],
    ['a 500, then a refusal', [refusal(500, 'internal_error'), mismatch], 2, 'unknown'],
    ['a reset, then a refusal', ['reset', mismatch], 2, 'unknown'],
    ['a reset, then refused connections', ['reset', 'refused'], 3, 'unknown'],
    ['a 503, then a rate limit', [refusal(503), limited], 3, 'unknown'],
    ["a gateway's 502, then a conflict", [html(502), refusal(409, 'conflict')], 2, 'unknown'],
    ['a nonce that a copy of it used', [refusal(401, 'replay_detected'), mismatch], 2, 'unknown'],
    ['a success that is not JSON', [html(200)], 1, 'unknown'],
  ];
  it.each(cases)('after %s', async (_what, steps, attempts, outcome) => {
    const { market } = scriptedService(steps);
    const error = await failureOf(market.orders.create({ domain: 'brew.example' }));
    expect(error).toMatchObject({ attempts, outcome, method: 'POST' });
    expect(error.path).toBe('/api/partner/v1/orders');
    expect(error.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('tells how to find out, and with which key to repeat', async () => {
    const { market } = scriptedService(['reset', mismatch]);
    const error = await failureOf(
      market.orders.create({ domain: 'brew.example' }, { idempotencyKey: 'basket-7' }),
    );
    expect(error.message).toMatch(/The order may exist\..*"basket-7"/);
  });
});

describe('the outcome of a read', () => {
  it('is rejected when a nonce was used before: a read does nothing', async () => {
    const { market } = scriptedService([refusal(401, 'replay_detected')]);
    expect(await failureOf(market.orders.get('ord_1001'))).toMatchObject({ outcome: 'rejected' });
  });
});
