import { describe, expect, it } from 'vitest';
import { freshEmulator } from '../emulator-fixture.js';

const market = freshEmulator();

describe('part 4.3', () => {
  it('4.3: "checkout_url, a hosted page with a signed pt token."', async () => {
    const body = {
      domain: 'brew.example',
      expected_price: 250_000,
      currency: 'USD',
      buyer: { email: 'ann@mail.example', country: 'DE' },
      return_url: 'https://partner.example/done',
    };
    const { status, json } = await market.post('/checkout-session', body);
    expect(status).toBe(201);
    expect(json).toMatchObject({ domain: 'brew.example', expires_at: '2026-11-26T10:00:00.000Z' });
    const page = await market.emulator.fetch(json.checkout_url);
    expect(await page.text()).toContain('Buy brew.example for 2500.00 USD.');
    expect(json.checkout_url.startsWith(market.emulator.baseUrl)).toBe(true);
    const wrong = await market.post('/checkout-session', { ...body, expected_price: 1 });
    expect(wrong.json.code).toBe('price_mismatch');
    expect((await market.post('/checkout-session', {})).status).toBe(400);
    const unlisted = { domain: 'none.example' };
    expect((await market.post('/checkout-session', unlisted)).status).toBe(404);
  });

  it('4.3: "The buyer pays and registers there, and the sale is attributed to the partner."', async () => {
    const { admin } = market.emulator;
    const { json } = await market.post('/checkout-session', { domain: 'brew.example' });
    admin.payCheckout(json.checkout_url);
    expect(() => admin.payCheckout(json.session_id)).toThrow(/paid already/);
    const { data } = (await market.call('GET /transactions?payment_model=hosted_checkout')).json;
    expect(data).toMatchObject([
      { domain: 'brew.example', status: 'PAID', sale_price_cents: 250_000 },
    ]);
    expect((await market.call('GET /pricing?domain=brew.example')).status).toBe(404);
    expect(await (await market.emulator.fetch(json.checkout_url)).text()).toContain('is paid');
    const other = (await market.post('/checkout-session', { domain: 'roast.example' })).json;
    admin.delist('roast.example');
    expect(() => admin.payCheckout(other.session_id)).toThrow(/no longer listed/);
    expect(() => admin.payCheckout('cs_none')).toThrow(/no checkout/);
  });
});

describe('part 4.4', () => {
  it('4.4: "Per-period statements: gross sold, commission retained, amount owed to the service."', async () => {
    await market.delivered('brew.example');
    market.emulator.clock.advance('7 days');
    market.emulator.admin.settle();
    await market.order('roast.example');
    market.emulator.clock.advance('7 days');
    market.emulator.admin.settle();
    await market.delivered('latte.example');
    market.emulator.admin.settle();
    const { data } = (await market.call('GET /settlements')).json;
    expect(data).toHaveLength(2);
    expect(data[1]).toEqual({
      settlement_id: data[1]!.settlement_id,
      period_start: '2026-11-19T10:00:00.000Z',
      period_end: '2026-11-26T10:00:00.000Z',
      gross_sold_cents: 250_000,
      commission_retained_cents: 37_500,
      amount_owed_cents: 212_500,
      currency: 'USD',
      status: 'CLOSED',
    });
    expect(data[0]!.period_start).toBe('2026-12-03T10:00:00.000Z');
  });

  it('4.4: "Full sales history plus totals (GMV, commission)."', async () => {
    await market.order('brew.example');
    const { public_id } = (await market.order('roast.example')).json;
    market.emulator.admin.refund(public_id);
    const { data, totals } = (await market.call('GET /transactions')).json;
    expect(data.map((each) => each.status)).toEqual(['REFUNDED', 'EXTERNALLY_PAID']);
    expect(totals).toEqual({ gmv_cents: 250_000, commission_cents: 37_500, currency: 'USD' });
    expect((await market.call('GET /transactions?limit=1')).json.totals).toEqual(totals);
  });

  it('4.4: "Filters: from, to, status, payment_model."', async () => {
    await market.order('brew.example');
    market.emulator.clock.advance('2 days');
    const { session_id } = (await market.post('/checkout-session', { domain: 'roast.example' }))
      .json;
    market.emulator.admin.payCheckout(session_id);
    const domains = async (query: string) => {
      const { json } = await market.call(`GET /transactions?${query}`);
      return json.data.map((each) => each.domain);
    };
    expect(await domains('from=2026-11-20')).toEqual(['roast.example']);
    expect(await domains('to=2026-11-20')).toEqual(['brew.example']);
    expect(await domains('status=EXTERNALLY_PAID')).toEqual(['brew.example']);
    expect(await domains('payment_model=partner_collected')).toEqual(['brew.example']);
    expect((await market.call('GET /transactions?from=soon')).status).toBe(400);
  });

  it('4.4: "Payouts the service has made to the partner (non-merchant-of-record commissions, brokerage)."', async () => {
    const { admin } = market.emulator;
    const checkout = await market.post('/checkout-session', { domain: 'brew.example' });
    admin.payCheckout(checkout.json.session_id);
    const opened = await market.post('/brokerage', {
      tier: 'managed',
      buyer_email: 'b@mail.example',
      domain: 'dream.example',
    });
    admin.closeCase(opened.json.case_id, { price_cents: 100_000 });
    expect((await market.call('GET /payouts')).json.data).toEqual([]);
    admin.settle();
    admin.settle();
    const { data } = (await market.call('GET /payouts')).json;
    expect(data).toMatchObject([
      { source: 'brokerage', amount_cents: 15_000, currency: 'USD' },
      { source: 'hosted_checkout', amount_cents: 37_500, paid_at: '2026-11-19T10:00:00.000Z' },
    ]);
    expect((await market.call('GET /transactions')).json.data[0]!.status).toBe('SETTLED');
  });

  it('4.4: "List of brokerage cases and their outcomes."', async () => {
    const body = { tier: 'managed', buyer_email: 'b@mail.example' };
    const first = (await market.post('/brokerage', body)).json.case_id;
    const second = (await market.post('/brokerage', body)).json.case_id;
    market.emulator.admin.closeCase(first, { outcome: 'no_deal' });
    const { data } = (await market.call('GET /brokerage')).json;
    expect(data).toMatchObject([
      { case_id: second, status: 'OPEN', outcome: null },
      { case_id: first, status: 'CLOSED', outcome: 'no_deal' },
    ]);
  });

  it('4.4: "Refund or clawback request. Allowed only before TRANSFER_COMPLETED."', async () => {
    const { public_id } = (await market.order()).json;
    for (const body of [{}, { public_id: 7 }]) {
      expect((await market.post('/refunds', body)).json.code).toBe('validation_error');
    }
    const { status, json } = await market.post('/refunds', {
      order_id: public_id,
      reason: 'buyer changed their mind',
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      refund_id: json.refund_id,
      public_id,
      status: 'REFUNDED',
      amount_cents: 250_000,
      currency: 'USD',
      reason: 'buyer changed their mind',
      created_at: '2026-11-19T10:00:00.000Z',
    });
    expect((await market.post('/refunds', { id: public_id })).status).toBe(409);
    const again = await market.delivered();
    expect((await market.post('/refunds', { order_public_id: again })).json.code).toBe('conflict');
  });
});

describe('part 4.5', () => {
  const eligibility = async (domain: string) =>
    (await market.call(`GET /brokerage/eligibility?domain=${domain}`)).json;

  it('4.5: "A domain is ineligible if it runs an active or live site or is already in a case."', async () => {
    const { admin } = market.emulator;
    expect(await eligibility('dream.example')).toEqual({
      domain: 'dream.example',
      eligible: true,
      reason: null,
    });
    expect(await eligibility('busy-shop.example')).toMatchObject({
      eligible: false,
      reason: 'active_site',
    });
    admin.markActiveSite('dream.example');
    expect((await eligibility('dream.example')).eligible).toBe(false);
    admin.markActiveSite('dream.example', false);
    const body = { tier: 'managed', buyer_email: 'b@mail.example', domain: 'dream.example' };
    const { case_id } = (await market.post('/brokerage', body)).json;
    expect(await eligibility('dream.example')).toMatchObject({
      eligible: false,
      reason: 'in_case',
    });
    const refused = await market.post('/brokerage', body);
    expect(refused.status).toBe(400);
    expect(refused.json.message).toContain('in_case');
    const live = await market.as({ environment: 'live' })(
      'GET /brokerage/eligibility?domain=dream.example',
    );
    expect(live.json.eligible).toBe(true);
    admin.closeCase(case_id, { outcome: 'no_deal' });
    expect((await eligibility('dream.example')).eligible).toBe(true);
    expect((await market.call('GET /brokerage/eligibility')).status).toBe(400);
  });

  it('4.5: "The new case and a no-login progress link for the buyer."', async () => {
    const body = {
      tier: 'self_serve',
      buyer_email: 'b@mail.example',
      budget: 5000.5,
      domain: 'dream.example',
    };
    const { status, json } = await market.post('/brokerage', body);
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...body, status: 'OPEN', outcome: null });
    for (const wrong of [
      { buyer_email: 'nobody' },
      { buyer_email: undefined },
      { budget: 0 },
      { budget: '5' },
    ]) {
      const refused = await market.post('/brokerage', { ...body, domain: undefined, ...wrong });
      expect(refused.status).toBe(400);
      expect(refused.json.message).toContain(`"${Object.keys(wrong)[0]}"`);
    }
  });

  it(`4.5: "Status, details and timeline of the partner's own case."`, async () => {
    const body = { tier: 'managed', buyer_email: 'b@mail.example' };
    const { case_id } = (await market.post('/brokerage', body)).json;
    market.emulator.admin.closeCase(case_id, { price_cents: 90_000 });
    const { json } = await market.call(`GET /brokerage/${case_id}`);
    expect(json).toMatchObject({ status: 'COMPLETED', outcome: 'deal', price_cents: 90_000 });
    expect(json.timeline.map((entry) => entry.status)).toEqual(['OPEN', 'COMPLETED']);
    const other = market.as({ partnerId: 'prt_2' });
    expect((await other(`GET /brokerage/${case_id}`)).json.code).toBe('not_found');
  });

  it('4.5: "The event brokerage.case_completed is sent when a deal closes."', async () => {
    const { admin, events } = market.emulator;
    const body = { tier: 'managed', buyer_email: 'b@mail.example', domain: 'dream.example' };
    const { case_id } = (await market.post('/brokerage', body)).json;
    admin.closeCase(case_id, { price_cents: 90_000 });
    expect(events).toMatchObject([
      {
        type: 'brokerage.case_completed',
        data: { case: { case_id, domain: 'dream.example', outcome: 'deal', price_cents: 90_000 } },
      },
    ]);
    expect(() => admin.closeCase(case_id)).toThrow(/closed already/);
    expect(() => admin.closeCase('case_none')).toThrow(/no case/);
    const other = (await market.post('/brokerage', body)).json.case_id;
    expect(() => admin.closeCase(other, { price_cents: 0.5 })).toThrow(/"price_cents"/);
    admin.closeCase(other, { outcome: 'no_deal' });
    expect(events).toHaveLength(1);
  });
});

describe('part 4.6', () => {
  const link = async () => (await market.post('/links', { type: 'generic' })).json;

  it('4.6: "Requires a credential linked to an affiliate account."', async () => {
    const without = market.as({ affiliate: false });
    for (const path of [
      '/links',
      '/me/clicks',
      '/me/sales',
      '/me/commissions',
      '/me/payouts',
      '/analytics',
    ]) {
      const { status, json } = await without(`GET ${path}`);
      expect(status).toBe(403);
      expect(json.message).toContain('affiliate');
    }
    expect((await without('GET /transactions')).status).toBe(200);
  });

  it('4.6: "Create a tracking link (generic, domain or product)."', async () => {
    const { url, link_id } = await link();
    expect((await market.emulator.fetch(url)).status).toBe(200);
    expect((await market.emulator.fetch(`${url}x`)).status).toBe(404);
    const { data } = (await market.call('GET /links')).json;
    expect(data).toMatchObject([{ link_id, clicks: 1, sales: 0 }]);
  });

  it('4.6: "List links with per-link click and sale stats."', async () => {
    const first = await link();
    const second = await link();
    market.emulator.admin.recordReferralClick(second.link_id);
    market.emulator.admin.recordReferralSale(second.link_id, {
      domain: 'a.example',
      amount_cents: 100,
    });
    expect((await market.call('GET /links')).json.data).toMatchObject([
      { link_id: second.link_id, clicks: 1, sales: 1 },
      { link_id: first.link_id, clicks: 0, sales: 0 },
    ]);
    expect(() => market.emulator.admin.recordReferralClick('lnk_none')).toThrow(/no link/);
  });

  it('4.6: "Referral click totals, optionally windowed by date."', async () => {
    const { link_id } = await link();
    market.emulator.admin.recordReferralClick(link_id);
    market.emulator.clock.advance('3 days');
    market.emulator.admin.recordReferralClick(link_id);
    expect((await market.call('GET /me/clicks')).json).toEqual({ total: 2, from: null, to: null });
    expect((await market.call('GET /me/clicks?from=2026-11-20&to=2026-12-01')).json).toEqual({
      total: 1,
      from: '2026-11-20',
      to: '2026-12-01',
    });
  });

  it(`4.6: "Sales attributed to the partner's links: buyer, domain, amount, commission."`, async () => {
    const { link_id } = await link();
    market.emulator.admin.recordReferralSale(link_id, {
      buyer: 'ann@mail.example',
      domain: 'a.example',
      amount_cents: 1003,
    });
    market.emulator.clock.advance('3 days');
    market.emulator.admin.recordReferralSale(link_id, {
      domain: 'b.example',
      amount_cents: 5000,
      commission_cents: 1,
      currency: 'EUR',
    });
    const { data } = (await market.call('GET /me/sales?to=2026-11-20')).json;
    expect(data).toEqual([
      {
        sale_id: data[0]!.sale_id,
        link_id,
        buyer: 'ann@mail.example',
        domain: 'a.example',
        amount_cents: 1003,
        commission_cents: 150,
        currency: 'USD',
        sold_at: '2026-11-19T10:00:00.000Z',
      },
    ]);
    expect((await market.call('GET /me/sales')).json.data).toHaveLength(2);
    expect(() =>
      market.emulator.admin.recordReferralSale(link_id, { domain: 'b.example', amount_cents: 0.5 }),
    ).toThrow(/"amount_cents"/);
  });

  it('4.6: "Commission ledger (accrued, pending, paid out, reversed) with running balance."', async () => {
    const { admin } = market.emulator;
    const { link_id } = await link();
    const sell = (cents: number) =>
      admin.recordReferralSale(link_id, {
        domain: 'a.example',
        amount_cents: 9,
        commission_cents: cents,
      });
    sell(100);
    admin.settle();
    sell(30);
    admin.settle();
    const third = sell(7);
    sell(5);
    admin.reverseReferralSale(third.sale_id);
    const { json } = await market.call('GET /me/commissions');
    expect(
      json.data.map((each) => [each.status, each.amount_cents, each.running_balance_cents]),
    ).toEqual([
      ['paid_out', 100, 0],
      ['pending', 30, 30],
      ['reversed', 7, 30],
      ['accrued', 5, 35],
    ]);
    expect(json.running_balance_cents).toBe(35);
    expect(() => admin.reverseReferralSale(third.sale_id)).toThrow(/reversed already/);
    expect(() => admin.reverseReferralSale('rs_none')).toThrow(/no referral sale/);
    const page = (await market.call('GET /me/commissions?limit=3')).json;
    const rest = (await market.call(`GET /me/commissions?limit=3&cursor=${page.next_cursor}`)).json;
    expect([...page.data, ...rest.data]).toEqual(json.data);
  });

  it('4.6: "Payout history with dates and totals."', async () => {
    const { link_id } = await link();
    const { admin } = market.emulator;
    for (const commission_cents of [10, 20]) {
      admin.recordReferralSale(link_id, {
        domain: 'a.example',
        amount_cents: 100,
        commission_cents,
      });
    }
    admin.settle();
    market.emulator.clock.advance('30 days');
    admin.settle();
    const { data } = (await market.call('GET /me/payouts?from=2026-12-01')).json;
    expect(data).toMatchObject([
      { amount_cents: 30, currency: 'USD', paid_at: '2026-12-19T10:00:00.000Z' },
    ]);
    expect((await market.call('GET /me/payouts?to=2026-12-01')).json.data).toEqual([]);
  });

  it('4.6: "Aggregated referral funnel, GMV and commission over a date range."', async () => {
    const { admin } = market.emulator;
    const { link_id } = await link();
    admin.recordReferralClick(link_id);
    admin.recordReferralClick(link_id);
    admin.recordReferralCheckout(link_id);
    admin.recordReferralSale(link_id, { domain: 'a.example', amount_cents: 1000 });
    expect((await market.call('GET /analytics?from=2026-11-01&to=2026-11-30')).json).toEqual({
      from: '2026-11-01',
      to: '2026-11-30',
      clicks: 2,
      checkouts: 2,
      sales: 1,
      gmv_cents: 1000,
      commission_cents: 150,
      currency: 'USD',
    });
    expect((await market.call('GET /analytics?to=2026-11-01')).json).toMatchObject({
      clicks: 0,
      sales: 0,
    });
  });
});

describe('part 4.7', () => {
  it('4.7: "Registers or updates the endpoint and its signing secret."', async () => {
    const register = (body: object) => market.call('PUT /api/partner/webhooks', { body });
    const first = await register({ url: 'https://a.example/hook', secret: 'one' });
    expect(first.status).toBe(200);
    market.emulator.clock.advance('1 hour');
    const second = await register({ url: 'https://b.example/hook', secret: 'two' });
    expect(second.json).toEqual({ ...first.json, url: 'https://b.example/hook' });
    for (const wrong of [
      { url: 'ftp://a.example', secret: 'x' },
      { url: 'nowhere', secret: 'x' },
      { secret: 'x' },
      { url: 'https://a.example', secret: '' },
      { url: 'https://a.example' },
    ]) {
      expect((await register(wrong)).json.code).toBe('validation_error');
    }
  });

  it('4.7: "JSON with events (array of id, type, created_at, data) and next_cursor (event id)."', async () => {
    expect((await market.call('GET /events')).json).toEqual({ events: [], next_cursor: null });
    for (const name of ['brew', 'roast', 'latte']) await market.order(`${name}.example`);
    const ids = market.emulator.events.map(({ id }) => id);
    const { json } = await market.call('GET /events?limit=2');
    expect(json.next_cursor).toBe(ids[1]);
    expect(Object.keys(json.events[0]!)).toEqual(['id', 'type', 'created_at', 'data']);
    const rest = (await market.call(`GET /events?after_id=${json.next_cursor}&limit=2`)).json;
    expect(rest.events.map((event) => event.id)).toEqual([ids[2]]);
    expect(rest.next_cursor).toBe(ids[2]);
    const end = (await market.call(`GET /events?after_id=${ids[2]}`)).json;
    expect(end).toEqual({ events: [], next_cursor: ids[2] });
    for (const wrong of ['after_id=evt_none', 'limit=0', 'limit=many']) {
      expect((await market.call(`GET /events?${wrong}`)).json.code).toBe('validation_error');
    }
    const other = market.as({ partnerId: 'prt_2' });
    expect((await other('GET /events')).json.events).toEqual([]);
  });
});
