import { expect, it } from 'vitest';
import { start } from './control-fixture.js';

it('the API lists what can be armed', async () => {
  const { emulator, get, send } = await start();
  const options = await get('/faults/options');
  expect(options.calls).toContain('POST /orders');
  expect(options.faults).toContainEqual({
    name: 'rateLimited',
    field: 'retryAfterSeconds',
    example: '2',
    effect: 'the response is 429 with Retry-After',
  });
  const faults = options.faults as { name: string; effect: string; example?: string }[];
  for (const { name, effect, example } of faults) {
    expect(effect, name).toMatch(/^\w/);
    const fault = example === undefined ? name : `${name}(${example})`;
    expect(await send('POST', '/faults/next', { fault }), fault).toMatchObject({ status: 200 });
  }
  expect(emulator.faults.list()).toHaveLength(faults.length);
  expect(options.deliveryFaults).toEqual(['twice', 'lost', 'outOfOrder']);
  expect(options.eventTypes).toContain('order.settled');
});

it('the API shows the newest of all accounts, so many as were asked for', async () => {
  const { emulator, call, get } = await start();
  for (const domain of ['brew.example', 'roast.example']) {
    await call('POST /orders', { body: { domain }, key: domain });
    await call('POST /quotes', { body: { domain: 'latte.example' } });
  }
  await call('POST /checkout-session', { body: { domain: 'latte.example' } });
  await call('POST /links', { body: { type: 'generic' } });
  await call('PUT /api/partner/webhooks', { body: { url: 'http://127.0.0.1:9/', secret: 's' } });
  await emulator.idle();
  const state = (await get('/state?limit=1')) as unknown as Record<string, unknown[]>;
  expect(state.orders).toMatchObject([{ domain: 'roast.example', environment: 'sandbox' }]);
  expect(state.quotes).toMatchObject([{ domain: 'latte.example', expires_in_ms: 600_000 }]);
  expect(state.sessions).toMatchObject([{ domain: 'latte.example', is_paid: false }]);
  expect(state.links).toHaveLength(1);
  expect(state.webhooks).toMatchObject([{ url: 'http://127.0.0.1:9/' }]);
  expect(JSON.stringify(state)).not.toContain('"secret"');
});
