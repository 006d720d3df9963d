import { describe, expect, it } from 'vitest';
import { EmulatorError } from 'market-partner-sdk/testing';
import { freshEmulator } from './emulator-fixture.js';

const market = freshEmulator();
const other = () => market.as({ partnerId: 'prt_2' });

describe('a valid quote reserves its domain', () => {
  it('also when the staff list the domain again', async () => {
    await market.post('/quotes', { domain: 'brew.example' });
    market.emulator.admin.list({ domain: 'brew.example', price_cents: 300_000 });
    const body = { domain: 'brew.example' };
    expect((await other()('POST /orders', { body, key: 'k' })).status).toBe(404);
    market.emulator.clock.advance('11 minutes');
    expect((await other()('POST /orders', { body, key: 'k2' })).status).toBe(201);
  });

  it('also from a buyer at the hosted checkout of another partner', async () => {
    const body = { domain: 'brew.example' };
    const { session_id } = (await other()('POST /checkout-session', { body })).json;
    await market.post('/quotes', body);
    const pay = () => market.emulator.admin.payCheckout(session_id);
    expect(pay).toThrow(EmulatorError);
    expect(pay).toThrow('brew.example is reserved by a quote of another partner');
    market.emulator.clock.advance('11 minutes');
    expect(pay).not.toThrow();
  });
});

describe('expireQuote of the staff', () => {
  it('ends the quote and its reservation, and moves no clock', async () => {
    const body = { domain: 'brew.example' };
    const { quote_id } = (await market.post('/quotes', body)).json;
    market.emulator.admin.expireQuote(quote_id);
    const refused = await market.call('POST /orders', { body: { ...body, quote_id }, key: 'k' });
    expect([refused.status, refused.json.code]).toEqual([422, 'quote_expired']);
    expect((await other()('POST /orders', { body, key: 'k2' })).status).toBe(201);
  });

  it('leaves the reservation of another quote of the same partner', async () => {
    const body = { domain: 'brew.example' };
    const quotes = [];
    for (let count = 0; count < 2; count += 1) {
      quotes.push((await market.post('/quotes', body)).json.quote_id);
    }
    market.emulator.admin.expireQuote(quotes[0]!);
    expect((await other()('POST /orders', { body, key: 'k' })).status).toBe(404);
    const order = { body: { ...body, quote_id: quotes[1] }, key: 'k2' };
    expect((await market.call('POST /orders', order)).status).toBe(201);
  });

  it('does not know a quote that was never made', () => {
    expect(() => market.emulator.admin.expireQuote('qt_none')).toThrow('there is no quote qt_none');
  });
});

describe('a refund by the staff', () => {
  const available = async () =>
    (await market.call('GET /availability?domain=brew.example')).json.available;

  it('lists the domain again before its delivery', async () => {
    const { public_id } = (await market.order()).json;
    market.emulator.admin.startTransfer(public_id);
    market.emulator.admin.refund(public_id);
    expect(await available()).toBe(true);
  });

  it.each(['delivered', 'settled'])('does not list a %s domain again', async (state) => {
    const public_id = await market.delivered();
    if (state === 'settled') market.emulator.admin.settle();
    market.emulator.admin.refund(public_id);
    expect(await available()).toBe(false);
  });
});
