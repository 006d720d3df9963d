// One of several workers. It takes payments and webhooks, places orders and handles events. All of them share the
// queues in PostgreSQL, and any of them may be killed.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import pg from 'pg';
import { PgBoss } from 'pg-boss';

const { DATABASE_URL: connectionString, PGBOSS_SCHEMA: schema = 'pgboss' } = process.env;
const { HOST: hostname = '127.0.0.1', PORT: port } = process.env;
const secretNames = ['MARKET_WEBHOOK_SECRET', 'PAYMENT_SECRET', 'SHOP_TOKEN'];
const missing = secretNames.filter((name) => !process.env[name]);
if (missing.length > 0) throw new Error(`Set ${missing.join(', ')}.`);
const [secret, paymentSecret, token] = secretNames.map((name) => process.env[name]);

const pool = new pg.Pool({ connectionString });
pool.on('error', (error) => console.error('pool', error.message));
const boss = new PgBoss({ connectionString, schema });
boss.on('error', (error) => console.error('pg-boss', error.message));
await boss.start();
// The lock is for workers that start at the same time.
await pool.query(`
  select pg_advisory_xact_lock(1);
  create table if not exists ${schema}.quote (
    checkout text primary key, id text, domain text, price integer, currency text);
  create table if not exists ${schema}.sale (
    payment text primary key, domain text, order_id text, pay_back text)`);
const selectQuote = `select * from ${schema}.quote where checkout = $1`;
const insertQuote = `insert into ${schema}.quote values ($1, $2, $3, $4, $5) on conflict do nothing`;
const insertSale = `insert into ${schema}.sale (payment, domain) values ($1, $2)`;
const insertUnpaid = `insert into ${schema}.sale (payment, pay_back) values ($1, 'not_as_quoted')
  on conflict do nothing`;
const selectSale = `select pay_back from ${schema}.sale where payment = $1`;
const setOrder = `update ${schema}.sale set order_id = $1 where payment = $2`;
const setPayBack = `update ${schema}.sale set pay_back = $1 where payment = $2`;

// Plain http, to the emulator of the compose file alone. With a live key the client refuses it.
const market = new MarketClient({ allowHttp: ['emulator'] });
const engine = pgBossEngine(boss, { pool, schema });
const outbox = createOrderOutbox({
  market,
  engine,
  async onPlaced(order, { key }, { commit }) {
    await commit((client) => client.query(setOrder, [order.public_id, key]));
    console.log('placed', key, order.domain);
  },
  async onRefused({ reason }, { key }, { commit }) {
    await commit((client) => client.query(setPayBack, [reason, key]));
    console.log('refused', key, reason);
  },
  onAttention: ({ message }, { key }) => console.error('look at', key, message),
});
const inbox = createEventInbox({
  market,
  engine,
  // An event may come before onPlaced has stored its order. It waits.
  outbox,
  secret,
  startFrom: 'beginning',
  on: {
    'order.recorded': ({ data }) => console.log('recorded', data.order.domain),
    'order.transfer_completed': ({ data }) => console.log('delivered', data.order.domain),
  },
});
await inbox.start();
await outbox.start();

/** Replace it by what your payment provider's documentation says. It reads the bytes as they came. */
function isSigned(bytes, signature = '') {
  const expected = createHmac('sha256', paymentSecret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
const isId = (value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value);
const find = async (sql, value) => (await pool.query(sql, [value])).rows[0];

const app = new Hono();
app.use(bodyLimit({ maxSize: 1_000_000 }));
app.post('/webhooks/market', (c) => inbox.fetch(c.req.raw));
// The webhook of your payment provider: a payment of a checkout. The provider may send it several times, to any worker.
app.post('/payments', async (c) => {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (!isSigned(bytes, c.req.header('payment-signature'))) return c.text('not signed', 401);
  const { payment, checkout, amount, currency } = Object(JSON.parse(Buffer.from(bytes).toString()));
  if (!isId(payment) || !isId(checkout)) return c.text('no payment or no checkout', 400);
  const quote = await find(selectQuote, checkout);
  const isPaid = quote !== undefined && quote.price === amount && quote.currency === currency;
  if (!isPaid) await pool.query(insertUnpaid, [payment]);
  const known = await find(selectSale, payment);
  if (!isPaid || known?.pay_back === 'not_as_quoted') return c.json({ added: false });
  const { domain, price, id: quote_id } = quote;
  const order = { domain, expected_price: price, currency, quote_id };
  // The payment and the order to place are stored together, or not at all.
  const write = (client) => client.query(insertSale, [payment, domain]);
  return c.json(await outbox.add({ key: payment, order }, { write }));
});

// What follows is for your own programs.
app.use(bearerAuth({ token }));
app.post('/quotes', async (c) => {
  const { checkout, domain } = Object(await c.req.json());
  if (!isId(checkout)) return c.text('no checkout', 400);
  if ((await find(selectQuote, checkout)) === undefined) {
    const quote = await market.orders.quote({ domain }, { deadlineMs: 10_000 });
    const { quote_id: id, price_cents: price, currency } = quote;
    if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
    await pool.query(insertQuote, [checkout, id, domain, price, currency]);
  }
  return c.json(await find(selectQuote, checkout));
});
app.get('/health', async (c) =>
  c.json({ orders: await outbox.status(), events: await inbox.status() }),
);
// 409: this payment was stored with another order before.
const statuses = {
  SyntaxError: 400,
  InvalidRequestError: 400,
  NotFoundError: 404,
  OutboxConflictError: 409,
};
app.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse();
  console.error(c.req.method, c.req.path, error.message);
  return c.text('failed', statuses[error.name] ?? 500);
});
const server = serve({
  fetch: app.fetch,
  hostname,
  port: Number(port),
  // A slow request ends. A connection stays open for longer than a load balancer keeps it.
  serverOptions: { requestTimeout: 30_000, keepAliveTimeout: 65_000 },
});
server.once('listening', () => console.log('ready'));

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);

/** What runs may end. The rest goes to another worker at once. */
async function stop() {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await boss.stop({ graceful: false });
  await Promise.all([pool.end(), market.close()]);
  server.closeAllConnections();
}
