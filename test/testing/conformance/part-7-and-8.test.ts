import { describe, expect, it } from 'vitest';
import { fault } from 'market-partner-sdk/testing';
import { freshEmulator } from '../emulator-fixture.js';

const market = freshEmulator();

describe('part 7', () => {
  it('7: "A field is missing or malformed. The message field gives details."', async () => {
    const { status, json } = await market.order('not a domain');
    expect(status).toBe(400);
    expect(json).toEqual({
      code: 'validation_error',
      message: '"domain" is not a domain name: "not a domain".',
    });
  });

  it('7: "The signature is rejected."', async () => {
    const headers = { 'X-Market-Signature': `v1=${'a'.repeat(64)}` };
    const { status, json } = await market.call('GET /orders', { headers });
    expect([status, json.code]).toEqual([401, 'invalid_signature']);
  });

  it('7: "The key id header is absent."', async () => {
    const { status, json } = await market.call('GET /orders', {
      headers: { 'X-Market-Key-Id': undefined },
    });
    expect([status, json.code]).toEqual([401, 'missing_credentials']);
  });

  it('7: "The credential lacks the required scope."', async () => {
    const { status, json } = await market.as({ scopes: ['report'] })('GET /orders');
    expect([status, json.code]).toEqual([403, 'forbidden']);
    expect(json.message).toContain('"buy" or "search"');
  });

  it('7: "Domain not listed, or order not found."', async () => {
    for (const reply of [
      await market.call('GET /pricing?domain=none.example'),
      await market.call('GET /orders/ord_none'),
      await market.order('none.example'),
    ]) {
      expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
    }
  });

  it('7: "Idempotency-Key reused with a different body."', async () => {
    const call = market.as({});
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const { status, json } = await call('POST /orders', {
      body: { domain: 'roast.example' },
      key: 'k',
    });
    expect([status, json.code]).toEqual([409, 'conflict']);
  });

  it('7: "The price does not match the current listing price."', async () => {
    const { status, json } = await market.order('brew.example', { expected_price: 249_999 });
    expect([status, json.code]).toEqual([422, 'price_mismatch']);
  });

  it('7: "The quote_id is past its 10-minute window."', async () => {
    const { quote_id } = (await market.post('/quotes', { domain: 'brew.example' })).json;
    market.emulator.clock.advance('11 minutes');
    const { status, json } = await market.order('brew.example', { quote_id });
    expect([status, json.code]).toEqual([422, 'quote_expired']);
  });

  it('7: "The response has a Retry-After header, in seconds."', async () => {
    market.emulator.faults.next(fault.rateLimited(7));
    const { status, json, headers } = await market.call('GET /orders');
    expect([status, json.code, headers['retry-after']]).toEqual([429, 'rate_limited', '7']);
  });

  it('7: "Unexpected server error."', async () => {
    market.emulator.faults.next(fault.internalError());
    const { status, json } = await market.call('GET /orders');
    expect([status, json.code]).toEqual([500, 'internal_error']);
  });

  it('every answer has a Date and an X-Request-Id', async () => {
    for (const reply of [await market.call('GET /orders'), await market.call('GET /nothing')]) {
      expect(Date.parse(reply.headers.date!)).toBe(market.emulator.clock.now());
      expect(reply.headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/);
    }
  });
});

describe('part 8', () => {
  it('8: "±300 seconds"', async () => {
    for (const { call } of [{ call: 'GET /orders' }, { call: 'PUT /api/partner/webhooks' }]) {
      const timestamp = market.emulator.clock.now() / 1000 - 301;
      expect((await market.call(call, { timestamp })).json.code).toBe('invalid_timestamp');
    }
  });

  it('8: "At most 5 per query, and q is required"', async () => {
    expect((await market.call('GET /domains/search?q=shop')).json.data).toHaveLength(5);
    expect((await market.call('GET /domains/search')).status).toBe(400);
  });

  it('8: "10 minutes"', async () => {
    const { json } = await market.post('/quotes', { domain: 'brew.example' });
    market.emulator.clock.advance('10 minutes');
    expect((await market.order('brew.example', { quote_id: json.quote_id })).status).toBe(201);
  });

  it('8: "7 days"', async () => {
    const { json } = await market.post('/checkout-session', { domain: 'brew.example' });
    market.emulator.clock.advance('7 days');
    market.emulator.admin.payCheckout(json.session_id);
    expect((await market.call('GET /transactions')).json.data).toHaveLength(1);
  });

  it('8: "200 within 5 seconds"', async () => {
    // The limit itself is tested with a shorter one in part 6; this is its documented length.
    const { resolveSettings: settingsFrom } = await import('../../../src/testing/options.js');
    expect(settingsFrom({}).webhookTimeoutMs).toBe(5000);
  });

  it('8: "Required"', async () => {
    const { json } = await market.post('/orders', { domain: 'brew.example' });
    expect(json.code).toBe('missing_idempotency_key');
  });
});
