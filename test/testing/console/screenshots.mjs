// npm run screenshots: takes the pictures of docs/testing.md again.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { MarketClient, signRequest } from 'market-partner-sdk';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';

const startedAt = performance.now();
const firstMoment = Date.parse('2026-11-19T10:00:00Z');
const clock = () => Math.floor(firstMoment + performance.now() - startedAt);

const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(request.headers['x-market-signature'] === undefined ? 400 : 503).end();
});
receiver.listen(3000, '127.0.0.1');
await once(receiver, 'listening');

const emulator = await MarketEmulator.start({ port: 4010, control: true, clock });
const { keyId, secret } = emulator.createCredential();
const { baseUrl } = emulator;
const market = new MarketClient({ baseUrl, keyId, secret, clock, random: () => 0 });

emulator.admin.registerWebhook('http://127.0.0.1:3000/webhooks/market', 'whsec_local');
await market.domains.search('coffee shop');
await market.orders.create({ domain: 'brew.example', expected_price: 1 }).catch(() => undefined);
const { quote_id } = await market.orders.quote({ domain: 'roast.example' });
emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
const input = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
const order = await market.orders.create(input, { idempotencyKey: 'payment-1001' });
emulator.admin.startTransfer(order.public_id);
await market.orders.get('ord_none').catch(() => undefined);
await sendWithWrongPath();
emulator.faults.on('GET /payouts', fault.latency('2 seconds'));
emulator.faults.deliveries.next('twice', { type: 'order.settled' });
await emulator.idle();

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-background-networking'],
});
const wide = { width: 1280, height: 800 };
const refused = emulator.requests.find(({ verdict }) => verdict === 'invalid_signature');
await picture('console', { viewport: wide }, `#requests/${refused.requestId}`);
const phone = { width: 390, height: 780 };
await picture('console-phone', { viewport: phone }, `#orders/${order.public_id}`);
const dark = { viewport: wide, colorScheme: 'dark' };
await picture('console-dark', dark, `#events/${emulator.events[0].id}`);

await browser.close();
await market.close();
await emulator.stop();
receiver.close();
console.log(`for ${quote_id} and ${order.public_id}: docs/images`);

async function picture(name, options, fragment) {
  const page = await browser.newPage(options);
  await page.goto(`${baseUrl}/_emulator/${fragment}`);
  await page.locator('.details').waitFor();
  const path = fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url));
  await page.screenshot({ path });
  await page.close();
}

/** The most frequent mistake of a client that is written by hand. */
async function sendWithWrongPath() {
  const { headers } = signRequest({
    method: 'GET',
    path: '/orders',
    keyId,
    secret,
    timestamp: Math.floor(clock() / 1000),
  });
  await fetch(`${baseUrl}/api/partner/v1/orders`, { headers });
}
