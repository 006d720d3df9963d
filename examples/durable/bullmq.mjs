// The outbox on Redis, by BullMQ. Redis cannot join the payment's transaction, and may lose its latest writes:
// the payment's row is the intent to order, and `recover` adds what the outbox does not know.
//
//   npm install bullmq ioredis
//   REDIS_URL=redis://127.0.0.1:6379 node examples/durable/bullmq.mjs
//
// Its keys have a prefix of their own, and are removed at the end.

import { MarketClient } from 'market-partner-sdk';
import { createOrderOutbox } from 'market-partner-sdk/durable';
import { bullmqEngine } from 'market-partner-sdk/durable/bullmq';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const prefix = `{market-example-${process.pid}}`;

const emulator = await MarketEmulator.start();
const { keyId, secret } = emulator.createCredential();
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });

/** The shop's table of payments. */
const payments = new Map();

function* unplacedPayments() {
  for (const [key, { domain, cents, outcome }] of payments) {
    if (outcome === undefined) {
      yield { key, order: { domain, expected_price: cents, currency: 'USD' } };
    }
  }
}

const outbox = createOrderOutbox({
  market,
  engine: bullmqEngine({ Queue, Worker, connection: { url }, prefix }),
  recover: unplacedPayments,
  onPlaced: (order, { key }) => {
    payments.get(key).outcome = `is order of ${order.domain}`;
  },
  onRefused: ({ reason }, { key }) => {
    payments.get(key).outcome = `is paid back: ${reason}`;
  },
  onAttention: ({ message }, { key }) => console.error('look at', key, message),
});

/** The buyer has paid: called by the page, or by the payment provider's webhook. */
async function recordPayment(key, domain, cents, { fails = false } = {}) {
  payments.set(key, { domain, cents });
  if (fails) throw new Error('the shop ends here');
  await outbox.add({ key, order: { domain, expected_price: cents, currency: 'USD' } });
}

for (const domain of ['brew.example', 'coffee.example', 'tea.example']) {
  emulator.admin.list({ domain, price_cents: 86_000 });
}
await recordPayment('payment-1', 'brew.example', 86_000);
await recordPayment('payment-2', 'coffee.example', 1);
await recordPayment('payment-3', 'tea.example', 86_000, { fails: true }).catch((error) =>
  console.log('payment-3 is not in the outbox:', error.message),
);

// A program that stays calls `outbox.start()` instead.
const { placed, refused, left } = await outbox.drain({ maxMs: 30_000 });
console.log(`placed: ${placed}, refused: ${refused}, left: ${left}`);
for (const [key, { outcome }] of payments) console.log(key, outcome);

await outbox.stop();
const redis = new Redis(url);
await redis.unlink(await redis.keys(`${prefix}*`));
await redis.quit();
await market.close();
await emulator.stop();
