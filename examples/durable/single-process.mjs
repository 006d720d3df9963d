// One process that misses no event: the webhook of the first sale arrives, that of the second is lost,
// and the inbox handles both, in order.
//
//   node examples/durable/single-process.mjs

import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, memoryEngine } from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { signWebhook } from 'market-partner-sdk/webhooks';

const emulator = await MarketEmulator.start();
const { keyId, secret: signingSecret } = emulator.createCredential();
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret: signingSecret });
const secret = 'whsec_of_the_example';

const inbox = createEventInbox({
  market,
  secret,
  // In production: sqliteEngine('market.db').
  engine: memoryEngine(),
  startFrom: 'beginning',
  on: {
    'order.recorded': ({ data }, { viaWebhook }) =>
      console.log(`${data.order.domain}, ${viaWebhook ? 'by webhook' : 'found by the poll'}`),
  },
});

for (const domain of ['brew.example', 'coffee.example']) {
  emulator.admin.list({ domain, price_cents: 86_000 });
  await market.orders.create({ domain, expected_price: 86_000, currency: 'USD' });
}
const [first] = await market.events.list().toArray();
const body = JSON.stringify(first);
const headers = { 'x-market-signature': signWebhook(body, secret) };
const { status } = await inbox.handle({ headers, body });
console.log('the webhook is answered', status);

const { handled } = await inbox.drain({ maxMs: 10_000 });
console.log(handled, 'events handled');

await inbox.stop();
await market.close();
await emulator.stop();
