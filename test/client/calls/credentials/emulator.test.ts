import { createHmac } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';

async function setUp() {
  const emulator = await MarketEmulator.start();
  onTestFinished(() => emulator.stop());
  const marketWith = (options: ClientOptions) => {
    const market = new MarketClient({
      baseUrl: emulator.baseUrl,
      clock: emulator.clock.now,
      ...options,
    });
    onTestFinished(() => market.close());
    return market;
  };
  return { emulator, marketWith };
}

it('a call succeeds with the second credential after the first was revoked', async () => {
  const { emulator, marketWith } = await setUp();
  const [revoked, other] = [emulator.createCredential(), emulator.createCredential()];
  let current = revoked;
  const market = marketWith({ credentials: () => current, forbidLive: true });
  await market.domains.search('coffee');

  const state = emulator.snapshot();
  const credentials = state.credentials.filter(({ keyId }) => keyId !== revoked.keyId);
  emulator.restore({ ...state, credentials });
  current = other;
  const { public_id } = await market.orders.create({
    domain: 'brew.example',
    expected_price: 250_000,
  });
  expect((await market.orders.get(public_id)).domain).toBe('brew.example');
  expect(emulator.requests.map(({ status }) => status)).toEqual([401, 201, 200]);
});

it('signs with a key that the client never sees', async () => {
  const { emulator, marketWith } = await setUp();
  const { keyId, secret } = emulator.createCredential();
  const sign = (text: string) =>
    Promise.resolve(createHmac('sha256', secret).update(text).digest('hex'));
  const market = marketWith({ signer: { keyId, sign } });
  expect((await market.domains.get('brew.example')).domain).toBe('brew.example');
});
