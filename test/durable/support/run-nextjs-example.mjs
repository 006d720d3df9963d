/**
 * Calls the routes of examples/durable/nextjs as Next.js does, on tables that its `migrate` script
 * would make. Prints what came of it.
 */

import { execFile } from 'node:child_process';
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
const post = async (name, body) => {
  const { POST: route } = await import(`${example}/app/${name}/route.js`);
  return route(
    new Request(`http://shop.example/${name}`, { method: 'POST', body: JSON.stringify(body) }),
  );
};
const { id, ...quote } = await (await post('quotes', { domain: 'brew.example' })).json();
console.log('quote:', JSON.stringify(quote));
// The quote holds its price.
emulator.admin.reprice('brew.example', 99_000);
const paid = await post('payments', { payment: 'payment-1', quote_id: id });
console.log('payment:', paid.status, await paid.text());
const unknown = await post('payments', { payment: 'payment-2', quote_id: 'none' });
console.log('payment of no quote:', unknown.status, await unknown.text());
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
const sales = await (await readSales()).json();
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
