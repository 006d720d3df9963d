import { describe, expect, it } from 'vitest';
import { start } from './control-fixture.js';

async function openCheckout(addresses: object = {}) {
  const fixture = await start();
  const body = { domain: 'brew.example', ...addresses };
  const { json } = await fixture.call('POST /checkout-session', { body });
  const press = (action: string, headers = {}) =>
    fetch(json.checkout_url, {
      method: 'POST',
      body: new URLSearchParams({ action }),
      headers,
      redirect: 'manual',
    });
  return { ...fixture, url: json.checkout_url, press };
}

const addresses = {
  return_url: 'https://shop.example/thanks?basket=1',
  cancel_url: 'https://shop.example/basket',
};

describe('the checkout page', () => {
  it('is paid by its button, and leads to return_url as it was given', async () => {
    const { url, press, get } = await openCheckout(addresses);
    expect(await (await fetch(url)).text()).toMatch(/value="pay".*value="cancel"/);
    const paid = await press('pay');
    expect([paid.status, paid.headers.get('location')]).toEqual([303, addresses.return_url]);
    expect(await get('/sessions')).toMatchObject([{ domain: 'brew.example', is_paid: true }]);
    expect((await press('pay')).status).toBe(200);
    expect(await (await fetch(url)).text()).not.toContain('value="pay"');
  });

  it('leads to an address in any script', async () => {
    const { press } = await openCheckout({
      return_url: 'https://shop.example/спасибо?name=café☕',
      cancel_url: 'https://größe.example/',
    });
    const paid = await press('pay');
    const path = '/%D1%81%D0%BF%D0%B0%D1%81%D0%B8%D0%B1%D0%BE?name=caf%C3%A9%E2%98%95';
    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      `https://shop.example${path}`,
    ]);
  });

  it('leads to cancel_url when the buyer cancels, and sells nothing', async () => {
    const { press, get } = await openCheckout(addresses);
    const left = await press('cancel');
    expect([left.status, left.headers.get('location')]).toEqual([303, addresses.cancel_url]);
    expect(await get('/sessions')).toMatchObject([{ is_paid: false }]);
  });

  it('shows the price in the minor units of its currency', async () => {
    const { call, emulator } = await openCheckout();
    emulator.admin.list({ domain: 'yen.example', price_cents: 250_000, currency: 'JPY' });
    const { json } = await call('POST /checkout-session', { body: { domain: 'yen.example' } });
    const text = await (await fetch(json.checkout_url)).text();
    expect(text).toContain('Buy yen.example for 250000 JPY.');
  });

  it('says what happened where no address was given', async () => {
    const { press } = await openCheckout();
    expect(await (await press('cancel')).text()).toContain('Cancelled.');
    expect(await (await press('pay')).text()).toContain('brew.example is paid.');
  });

  it('says why a domain that was sold elsewhere cannot be paid', async () => {
    const { press, emulator } = await openCheckout(addresses);
    emulator.admin.delist('brew.example');
    const refused = await press('pay');
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('brew.example is no longer listed'),
    ]);
  });

  it('is not paid by a page of another site', async () => {
    const { press, get } = await openCheckout(addresses);
    expect((await press('pay', { origin: 'https://attacker.example' })).status).toBe(403);
    expect(await get('/sessions')).toMatchObject([{ is_paid: false }]);
  });
});

it('records that a partner made can be listed, the newest last', async () => {
  const { call, get } = await openCheckout();
  await call('POST /links', { body: { type: 'generic' } });
  await call('POST /brokerage', { body: { tier: 'managed', buyer_email: 'a@b.example' } });
  expect(await get('/links')).toMatchObject([{ type: 'generic', partner_id: 'prt_1' }]);
  expect(await get('/cases?limit=1')).toMatchObject([{ tier: 'managed', status: 'OPEN' }]);
});

it('an event whose data is nested too deep to be saved is refused by name', async () => {
  const { send, emulator } = await start();
  const data = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const { status, json } = await send('POST', '/emitEvent', `{"type":"x","data":${data}}`);
  expect([status, json.message]).toEqual([
    400,
    expect.stringMatching(/^"data" must not be nested/),
  ]);
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(() => emulator.admin.emitEvent('x', { data: circle })).toThrow(
    /"data" must not be nested/,
  );
  expect(emulator.events).toEqual([]);
});
