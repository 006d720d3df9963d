/**
 * Calls the routes of examples/durable/nextjs as Next.js does, on tables that its `migrate` script
 * would make. Prints what came of it.
 */

import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { signWebhook } from 'market-partner-sdk/webhooks';
import pg from 'pg';
import { getConstructionPlans } from 'pg-boss';

const example = '../../../examples/durable/nextjs';
const schema = `mp_next_${process.pid}`;
const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
// The shop's table is in the schema of this run, too.
const inOwnSchema = new URL(connectionString);
inOwnSchema.searchParams.set('options', `-c search_path=${schema}`);
const secret = 'whsec_of_the_test';
const emulator = await MarketEmulator.start();
const { keyId, secret: signingSecret } = emulator.createCredential();
Object.assign(process.env, {
  DATABASE_URL: inOwnSchema.href,
  PGBOSS_SCHEMA: schema,
  MARKET_BASE_URL: emulator.baseUrl,
  MARKET_KEY_ID: keyId,
  MARKET_SECRET: signingSecret,
  MARKET_WEBHOOK_SECRET: secret,
  PAYMENT_SECRET: 'secret-of-the-provider',
  SHOP_TOKEN: 'token-of-the-shop',
});

const admin = new pg.Pool({ connectionString: inOwnSchema.href });
const ddl = ['durable', 'ddl', '--engine', 'postgres:', '--environment', 'sandbox'];
const { stdout } = await promisify(execFile)(process.execPath, [
  ...['dist/bin.cjs', ...ddl, '--schema', schema],
]);
await admin.query(getConstructionPlans(schema));
await admin.query(stdout);
await admin.query(await readFile(new URL(`${example}/sale.sql`, import.meta.url), 'utf8'));

const { POST } = await import(`${example}/app/webhooks/market/route.js`);
const { GET } = await import(`${example}/app/cron/market/route.js`);
const { openMarket } = await import(`${example}/lib/market.js`);
const url = 'http://shop.example/cron/market';
const call = (authorization) => GET(new Request(url, { headers: { authorization } }));

console.log('without a secret:', (await call('Bearer undefined')).status);
process.env.CRON_SECRET = 'secret-of-the-timer';
console.log('with another secret:', (await call('Bearer of-somebody')).status);

const { market, inbox, outbox, boss, pool } = await openMarket();
emulator.admin.list({ domain: 'brew.example', price_cents: 86_000 });
const post = async (name, content, headers) => {
  const { POST: route } = await import(`${example}/app/${name}/route.js`);
  const body = JSON.stringify(content);
  const signature = createHmac('sha256', 'secret-of-the-provider').update(body).digest('hex');
  const given = headers ?? {
    authorization: 'Bearer token-of-the-shop',
    'payment-signature': signature,
  };
  const request = new Request(`http://shop.example/${name}`, {
    method: 'POST',
    headers: given,
    body,
  });
  return route(request);
};
const asked = { checkout: 'checkout-1', domain: 'brew.example' };
const paying = { payment: 'payment-1', checkout: 'checkout-1', amount: 86_000, currency: 'USD' };
console.log('quote without a token:', (await post('quotes', asked, {})).status);
const { id: _id, ...quote } = await (await post('quotes', asked)).json();
console.log('quote:', JSON.stringify(quote));
const forged = { 'payment-signature': '00'.repeat(32) };
console.log('payment without a signature:', (await post('payments', paying, {})).status);
console.log('payment with a forged one:', (await post('payments', paying, forged)).status);
const large = { ...paying, note: 'x'.repeat(2_000_000) };
console.log('payment of 2 MB:', (await post('payments', large)).status);
console.log('quote of 2 MB:', (await post('quotes', large)).status);
// The quote holds its price.
emulator.admin.reprice('brew.example', 99_000);
const paid = await post('payments', paying);
console.log('payment:', paid.status, await paid.text());
for (const wrong of [
  { checkout: 'none' },
  { amount: 85_999 },
  { currency: 'EUR' },
  { payment: null },
]) {
  const other = await post('payments', { ...paying, payment: 'payment-2', ...wrong });
  console.log('payment with', JSON.stringify(wrong), other.status, await other.text());
}
console.log('cron:', await (await call('Bearer secret-of-the-timer')).text());

const [placed] = await market.orders.list().toArray();
const { rows } = await admin.query('select order_id from sale order by payment');
console.log('stored:', rows[0].order_id === placed.public_id);
emulator.admin.startTransfer(placed.public_id);
emulator.admin.completeTransfer(placed.public_id);
const event = (await market.events.list().toArray()).at(-1);
const body = JSON.stringify({ partner_id: 'prt_1', ...event });
const deliver = (signature) =>
  POST(
    new Request('http://shop.example/webhooks/market', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-market-signature': signature },
      body,
    }),
  );
console.log('forged webhook:', (await deliver('0'.repeat(64))).status);
console.log('webhook:', (await deliver(signWebhook(body, secret))).status);
console.log('cron:', await (await call('Bearer secret-of-the-timer')).text());
emulator.admin.refund(placed.public_id);
console.log('cron:', await (await call('Bearer secret-of-the-timer')).text());
const { GET: readSales } = await import(`${example}/app/sales/route.js`);
const readWith = (headers) => readSales(new Request('http://shop.example/sales', { headers }));
console.log('sales without a token:', (await readWith({})).status);
const sales = await (await readWith({ authorization: 'Bearer token-of-the-shop' })).json();
console.log(
  'pay back:',
  sales.map(({ payment, pay_back, event }) => [payment, pay_back ?? event]),
);

await inbox.stop();
await outbox.stop();
await boss.stop({ graceful: false });
await pool.end();
await admin.query(`drop schema ${schema} cascade`);
await admin.end();
await market.close();
await emulator.stop();
