// What every runtime must do with the built package: place a signed order against the emulator,
// be refused as documented, verify a webhook. Runs in a project that has the package installed.

import { MarketClient, MarketError, NotFoundError } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { isValidSignature, signWebhook, verifyWebhook } from 'market-partner-sdk/webhooks';

function assert(fact, what) {
  if (!fact) throw new Error(`smoke: ${what}`);
}

const emulator = await MarketEmulator.start();
const { keyId, secret } = emulator.createCredential();
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });

const [listing] = await market.domains.search('coffee shop & 100% (tea)');
assert(listing?.domain !== undefined, 'search gave nothing');
const quote = await market.orders.quote({ domain: listing.domain });
const input = {
  domain: listing.domain,
  expected_price: quote.price_cents,
  currency: quote.currency,
  quote_id: quote.quote_id,
};
const options = { idempotencyKey: 'smoke-1' };
const order = await market.orders.create(input, options);
const again = await market.orders.create(input, options).withResponse();
assert(again.data.public_id === order.public_id, 'the repeat gave another order');
assert(again.response.idempotencyKey === 'smoke-1', 'the key is not on the response');
assert((await market.orders.list().toArray()).length === 1, 'there is not exactly one order');

const missing = await market.orders.get('ord_none').catch((error) => error);
assert(missing instanceof NotFoundError && missing instanceof MarketError, 'not a NotFoundError');
assert(missing.constructor.name === 'NotFoundError', `class ${missing.constructor.name}`);
assert(missing.outcome === 'rejected', `outcome ${missing.outcome}`);

const refused = new MarketClient({ baseUrl: 'http://127.0.0.1:9', keyId, secret, maxRetries: 0 });
const offline = await refused.orders.create(input).catch((error) => error);
assert(offline.name === 'ConnectionError', `${offline.name}: ${offline.message}`);
assert(offline.outcome !== 'rejected' && offline.idempotencyKey !== undefined, 'facts are missing');

const controller = new AbortController();
controller.abort(new Error('enough'));
const aborted = await market.domains
  .search('x', { signal: controller.signal })
  .catch((error) => error);
assert(
  aborted.name === 'AbortedError' && aborted.cause?.message === 'enough',
  'not an AbortedError',
);

const body = JSON.stringify({
  id: 'evt_1',
  type: 'order.settled',
  created_at: '2026-11-21T08:00:00Z',
  partner_id: 'prt_1',
  data: { order },
});
const bytes = new TextEncoder().encode(body);
assert(
  verifyWebhook(bytes, signWebhook(bytes, 'whsec'), 'whsec').id === 'evt_1',
  'the webhook was refused',
);
assert(!isValidSignature(bytes, signWebhook(bytes, 'other'), 'whsec'), 'a forged webhook passed');

await market.close();
await refused.close();
await emulator.stop();
console.log('smoke ok');
