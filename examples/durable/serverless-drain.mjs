// Without a process that stays: a route that a timer calls every minute drains inbox and outbox, answers
// what it did, and ends. A second route stores orders; it sends nothing.
//
//   node examples/durable/serverless-drain.mjs

import { MarketClient } from 'market-partner-sdk';
import {
  createEventInbox,
  createOrderOutbox,
  memoryEngine,
  OutboxConflictError,
} from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';

const emulator = await MarketEmulator.start();
const credential = emulator.createCredential();
const market = new MarketClient({
  baseUrl: emulator.baseUrl,
  keyId: credential.keyId,
  secret: credential.secret,
});

// In production: pgBossEngine. Functions that end have no disk for SQLite.
const engine = memoryEngine();
const cronSecret = 'secret-of-the-timer';

const outbox = createOrderOutbox({
  market,
  engine,
  onPlaced: (order, { key }) => console.log(`${key} is placed:`, order.domain),
  onRefused: ({ reason }, { key }) => console.log(`${key} is refused:`, reason),
  onAttention: ({ message }, { key }) => console.error(`look at ${key}:`, message),
});
const inbox = createEventInbox({
  market,
  engine,
  // An event may come before onPlaced has stored its order: it waits.
  outbox,
  startFrom: 'beginning',
  on: { 'order.recorded': ({ data }) => console.log('recorded:', data.order.domain) },
});

/** POST /orders */
async function checkout(request) {
  const { payment, domain, cents } = await request.json();
  const order = { domain, expected_price: cents, currency: 'USD' };
  try {
    const { added } = await outbox.add({ key: payment, order });
    return Response.json({ added }, { status: 202 });
  } catch (error) {
    if (!(error instanceof OutboxConflictError)) throw error;
    // This payment was stored with another order before. It has that one, and no second.
    return new Response(null, { status: 409 });
  }
}

/** GET /cron/market, every minute. Half of the time that the platform gives a request is for each. */
async function drain(request) {
  if (request.headers.get('authorization') !== `Bearer ${cronSecret}`) {
    return new Response(null, { status: 401 });
  }
  const orders = await outbox.drain({ maxMs: 10_000 });
  const events = await inbox.drain({ maxMs: 10_000 });
  return Response.json({ orders, events });
}

emulator.admin.list({ domain: 'brew.example', price_cents: 86_000 });
emulator.admin.list({ domain: 'coffee.example', price_cents: 86_000 });
for (const [payment, domain, cents] of [
  ['payment-1', 'brew.example', 86_000],
  ['payment-2', 'coffee.example', 1],
]) {
  const body = JSON.stringify({ payment, domain, cents });
  const { status } = await checkout(new Request('http://shop/orders', { method: 'POST', body }));
  console.log(payment, 'is answered', status);
}

const url = 'http://shop/cron/market';
console.log('without the secret:', (await drain(new Request(url))).status);
const headers = { authorization: `Bearer ${cronSecret}` };
for (const time of ['first', 'second']) {
  const response = await drain(new Request(url, { headers }));
  console.log(`${time} drain:`, await response.text());
}

await inbox.stop();
await outbox.stop();
await market.close();
await emulator.stop();
