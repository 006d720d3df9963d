import { describe, expect, it } from 'vitest';
import { freshEmulator } from '../emulator-fixture.js';

const market = freshEmulator();

describe('part 1', () => {
  it('1: "Every call is authenticated with signed headers (part 5) and gated by the scopes granted to the credential."', async () => {
    expect(
      (await market.emulator.fetch('http://market.example/api/partner/v1/orders')).status,
    ).toBe(401);
    expect((await market.as({ scopes: [] })('GET /orders')).status).toBe(403);
    expect((await market.call('GET /orders')).status).toBe(200);
  });

  it('1: "The credential decides which inventory is served."', async () => {
    const live = market.as({ environment: 'live' });
    expect((await live('GET /pricing?domain=brew.example')).status).toBe(404);
    expect((await live('GET /pricing?domain=brew-live.example')).status).toBe(200);
    expect((await market.call('GET /pricing?domain=brew.example')).status).toBe(200);
  });

  it('1: "Brokerage, hosted checkout and referral surfaces work only when the matching scope is enabled for the credential."', async () => {
    const without = market.as({ scopes: ['search', 'buy', 'report', 'webhook'] });
    for (const what of ['POST /brokerage', 'POST /checkout-session', 'POST /links']) {
      expect((await without(what, { body: {} })).json).toMatchObject({ code: 'forbidden' });
    }
  });
});

describe('part 2', () => {
  it('2: "It carries an environment marker: sandbox, live or test."', () => {
    for (const environment of ['sandbox', 'live', 'test'] as const) {
      expect(market.emulator.createCredential({ environment }).keyId).toContain(`_${environment}_`);
    }
    expect(market.emulator.createCredential().environment).toBe('sandbox');
    for (const keyId of ['mk_live_7', 'mk-live-7', 'MK.LIVE.7']) {
      expect(market.emulator.createCredential({ keyId }).environment, keyId).toBe('live');
    }
  });

  it('2: "It is used only to sign and is never sent."', async () => {
    const credential = market.emulator.createCredential();
    await market.call('GET /orders');
    const answer = await market.emulator.fetch('http://market.example/api/partner/v1/orders', {
      headers: {
        'X-Market-Key-Id': credential.keyId,
        'X-Market-Timestamp': String(market.emulator.clock.now() / 1000),
        'X-Market-Nonce': 'n',
        'X-Market-Signature': `v1=${'0'.repeat(64)}`,
      },
    });
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain(credential.secret);
  });

  it('2: "Subset of: search, embed, buy, broker, refer, report, webhook."', () => {
    expect(market.emulator.createCredential().scopes).toEqual([
      'search',
      'embed',
      'buy',
      'broker',
      'refer',
      'report',
      'webhook',
    ]);
    const scopes = ['sell'] as unknown as ['buy'];
    expect(() => market.emulator.createCredential({ scopes })).toThrow(
      /"scopes.0" must be "search", "embed"/,
    );
  });

  it('2: "Order identifier. It appears in paths as {public_id}"', async () => {
    const { public_id } = (await market.order()).json;
    expect((await market.call(`GET /orders/${public_id}`)).json.public_id).toBe(public_id);
  });

  it('2: "Sale price in minor currency units."', async () => {
    const { json } = await market.order('brew.example', {
      expected_price: 250_000,
      currency: 'USD',
    });
    expect(json).toMatchObject({
      domain: 'brew.example',
      sale_price_cents: 250_000,
      currency: 'USD',
    });
    expect(json.status).toBe('EXTERNALLY_PAID');
  });

  it('2: "The order detail also returns a transfer/fulfilment timeline."', async () => {
    const { public_id } = (await market.order()).json;
    market.emulator.clock.advance('1 hour');
    market.emulator.admin.startTransfer(public_id);
    const { json } = await market.call(`GET /orders/${public_id}`);
    expect(json.transfer).toEqual({
      status: 'in_progress',
      started_at: '2026-11-19T11:00:00.000Z',
      completed_at: null,
    });
    expect(json.timeline.map((entry) => entry.event)).toEqual([
      'order.recorded',
      'order.transfer_started',
    ]);
    expect(json.timeline[0]).toMatchObject({
      status: 'EXTERNALLY_PAID',
      at: '2026-11-19T10:00:00.000Z',
    });
  });

  it('2: "Has fields email (string), the service (string) and country (string, two-letter code in the examples)."', async () => {
    const buyer = { email: 'ann@mail.example', name: 'Ann', country: 'DE', loyalty: 7 };
    expect((await market.order('brew.example', { buyer })).status).toBe(201);
    for (const [field, value] of [
      ['email', 'ann'],
      ['country', 'Germany'],
      ['name', 7],
    ] as const) {
      const { status, json } = await market.order('roast.example', { buyer: { [field]: value } });
      expect(status).toBe(400);
      expect(json.message).toContain(`"buyer.${field}"`);
    }
  });

  it('2: "Redirect address on success."', async () => {
    for (const field of ['return_url', 'cancel_url']) {
      const { json } = await market.order('brew.example', { [field]: 'javascript:alert(1)' });
      expect(json).toMatchObject({ code: 'validation_error' });
      expect(json.message).toContain(`"${field}"`);
    }
  });

  it(`2: "The partner's own payment reference."`, async () => {
    const { json } = await market.order('brew.example', { external_payment_ref: 'pay_77' });
    expect((await market.call(`GET /orders/${json.public_id}`)).json.external_payment_ref).toBe(
      'pay_77',
    );
  });

  it('2: "The price check on an order is reported in the error table as sale_price_cents against the current listing price."', async () => {
    const { json } = await market.order('brew.example', { expected_price: 1 });
    expect(json.message).toContain('the current listing price: sale_price_cents 250000');
  });

  it('2: "Signing secret chosen by the partner (a <WEBHOOK_SECRET> placeholder). Sent only."', async () => {
    const body = { url: 'https://partner.example/hook', secret: 'whsec_secret' };
    const { json, text } = await market.call('PUT /api/partner/webhooks', { body });
    expect(json).toEqual({
      url: 'https://partner.example/hook',
      active: true,
      created_at: '2026-11-19T10:00:00.000Z',
    });
    expect(text).not.toContain('whsec_secret');
  });

  it('2: "Event identifier. It is the cursor value for the history."', async () => {
    await market.order('brew.example');
    await market.order('roast.example');
    const [first, second] = market.emulator.events;
    const { json } = await market.call(`GET /events?after_id=${first!.id}`);
    expect(json.events.map((event) => event.id)).toEqual([second!.id]);
  });

  it('2: "For order events it holds an order object with public_id, domain, status, sale_price_cents and currency."', async () => {
    const { public_id } = (await market.order()).json;
    expect(market.emulator.events[0]!.data).toEqual({
      order: {
        public_id,
        domain: 'brew.example',
        status: 'EXTERNALLY_PAID',
        sale_price_cents: 250_000,
        currency: 'USD',
      },
    });
  });

  it('2: "Hosted page carrying a signed token in the query parameter pt. It expires after 7 days."', async () => {
    const { json } = await market.post('/checkout-session', { domain: 'brew.example' });
    const open = (url: string) => market.emulator.fetch(url).then(({ status }) => status);
    expect(new URL(json.checkout_url).searchParams.get('pt')).toMatch(/^[\w-]+\.[\w-]{43}$/);
    expect(await open(json.checkout_url)).toBe(200);
    expect(await open(json.checkout_url.replace('pt=', 'pt=x'))).toBe(403);
    market.emulator.clock.advance('7 days');
    expect(await open(json.checkout_url)).toBe(200);
    market.emulator.clock.advance(1);
    expect(await open(json.checkout_url)).toBe(410);
  });

  it('2: "One of: managed, self_serve."', async () => {
    const open = (tier?: string) =>
      market.post('/brokerage', { tier, buyer_email: 'b@mail.example', budget: 5000 });
    expect((await open('managed')).status).toBe(201);
    expect((await open('self_serve')).status).toBe(201);
    for (const wrong of ['gold', undefined]) {
      const { status, json } = await open(wrong);
      expect(status).toBe(400);
      expect(json.message).toContain('"tier"');
    }
  });

  it('2: "The create call returns a no-login progress link for the buyer."', async () => {
    const body = { tier: 'managed', buyer_email: 'b@mail.example' };
    const { json } = await market.post('/brokerage', body);
    const page = await market.emulator.fetch(json.progress_url);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain(`<h1>Case ${json.case_id} for ${json.domain}</h1>`);
    expect(text).toMatch(/<html lang="en">.*color-scheme:light dark.*A broker is working on it\./);
    expect((await market.emulator.fetch(`${json.progress_url}x`)).status).toBe(404);
    expect(market.emulator.requests.at(-1)!.verdict).toBe('public');
  });

  it('2: "A tracking link has a type: generic, domain or product."', async () => {
    const create = (body: object) => market.post('/links', body);
    expect((await create({ type: 'generic' })).json).toMatchObject({
      type: 'generic',
      clicks: 0,
      sales: 0,
    });
    expect((await create({ type: 'domain', domain: 'brew.example' })).json.domain).toBe(
      'brew.example',
    );
    expect((await create({ type: 'product', product: 'hosting' })).json.product).toBe('hosting');
    expect((await create({ type: 'banner' })).json.message).toContain(
      '"type" must be "generic", "domain" or "product"',
    );
    expect((await create({})).json.message).toContain('"type" is required');
    expect((await create({ type: 'domain' })).json.message).toContain('"domain" is required');
    expect((await create({ type: 'product' })).json.message).toContain('"product" is required');
    expect((await create({ type: 'domain', domain: 'none.example' })).status).toBe(404);
  });
});
