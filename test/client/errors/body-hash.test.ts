import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';

it('an error that shows a canonical string shows the hash of the body, its sixth line', async () => {
  const emulator = await MarketEmulator.start();
  const { keyId } = emulator.createCredential();
  const { baseUrl } = emulator;
  const market = new MarketClient({ baseUrl, keyId, secret: 'another', maxRetries: 0 });
  onTestFinished(async () => {
    await market.close();
    await emulator.stop();
  });
  const input = { domain: 'brew.example', expected_price: 250_000 };
  const error = await market.orders.create(input).catch((caught: unknown) => caught as Error);
  const [received] = emulator.requests;
  const hash = createHash('sha256')
    .update(received?.body ?? '')
    .digest('hex');
  expect(JSON.stringify(error)).toContain(hash);
  const signature = received?.headers['x-market-signature']?.replace('v1=', '') ?? '-';
  expect(JSON.stringify(error)).not.toContain(signature);
});
