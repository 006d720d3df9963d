import { describe, expect, it } from 'vitest';
import { freshEmulator } from './emulator-fixture.js';

const market = freshEmulator();

async function checkout(domain: string): Promise<void> {
  const { json } = await market.post('/checkout-session', { domain });
  market.emulator.admin.payCheckout(json.session_id);
}

describe('the list of transactions', () => {
  it('loses and repeats nothing between pages while sales of one moment arrive', async () => {
    await checkout('brew.example');
    await market.order('roast.example');
    await checkout('latte.example');
    const first = (await market.call('GET /transactions?limit=2')).json;
    await market.order('coffee.example');
    const rest = (await market.call(`GET /transactions?limit=9&cursor=${first.next_cursor!}`)).json;
    expect([...first.data, ...rest.data].map(({ domain }) => domain)).toEqual([
      'latte.example',
      'roast.example',
      'brew.example',
    ]);
  });

  it('keeps its order when the clock is set back', async () => {
    await market.order('brew.example');
    market.emulator.clock.set(market.emulator.clock.now() - 60_000);
    await market.order('roast.example');
    const { data } = (await market.call('GET /transactions')).json;
    expect(data.map(({ domain }) => domain)).toEqual(['roast.example', 'brew.example']);
  });
});

describe('sums', () => {
  const sellInTwoCurrencies = async () => {
    market.emulator.admin.list({ domain: 'euro.example', price_cents: 10_000, currency: 'EUR' });
    await market.order('brew.example');
    await market.order('euro.example');
  };

  it('of transactions are one for each currency', async () => {
    await sellInTwoCurrencies();
    const { totals } = (await market.call('GET /transactions')).json;
    expect(totals).toEqual({
      by_currency: [
        { gmv_cents: 250_000, commission_cents: 37_500, currency: 'USD' },
        { gmv_cents: 10_000, commission_cents: 1_500, currency: 'EUR' },
      ],
    });
  });

  it('of transactions in one currency are plain fields', async () => {
    await market.order('brew.example');
    const { totals } = (await market.call('GET /transactions')).json;
    expect(totals).toEqual({ gmv_cents: 250_000, commission_cents: 37_500, currency: 'USD' });
  });

  it('of no transactions are zero', async () => {
    const { totals } = (await market.call('GET /transactions')).json;
    expect(totals).toEqual({ gmv_cents: 0, commission_cents: 0, currency: 'USD' });
  });

  const sellByLink = async () => {
    const { link_id } = (await market.post('/links', { type: 'generic' })).json;
    const { admin } = market.emulator;
    admin.recordReferralSale(link_id, { domain: 'a.example', amount_cents: 1_000 });
    admin.recordReferralSale(link_id, {
      domain: 'b.example',
      amount_cents: 2_000,
      currency: 'EUR',
    });
  };

  it('of the funnel are one for each currency', async () => {
    await sellByLink();
    const { json } = await market.call('GET /analytics?from=2026-11-01&to=2026-11-30');
    expect(json).toMatchObject({
      sales: 2,
      by_currency: [
        { gmv_cents: 1_000, commission_cents: 150, currency: 'USD' },
        { gmv_cents: 2_000, commission_cents: 300, currency: 'EUR' },
      ],
    });
    expect(json).not.toHaveProperty('gmv_cents');
  });

  it('of commissions run for each currency', async () => {
    await sellByLink();
    const { json } = await market.call('GET /me/commissions');
    expect(json.data.map((line) => line.running_balance_cents)).toEqual([150, 300]);
    expect(json).not.toHaveProperty('running_balance_cents');
    expect(json.running_balances).toEqual([
      { running_balance_cents: 150, currency: 'USD' },
      { running_balance_cents: 300, currency: 'EUR' },
    ]);
  });
});
