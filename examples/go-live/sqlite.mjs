// A backend that sells domains on one machine. Kill it at any moment. Each payment that it accepted becomes one
// order, or a sale to pay back. Needs Node 22.13 or later for node:sqlite, and `npm install hono @hono/node-server`.
//
//   npx market-partner-sdk emulator --env emulator.env       in a terminal of its own
//   node --env-file=emulator.env sqlite.mjs

import { createHmac, timingSafeEqual } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';

const { HOST = '127.0.0.1', PORT = '3000', DATABASE = 'shop.db' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
// Without them anybody could order, or read the sales.
const secretNames = ['MARKET_WEBHOOK_SECRET', 'PAYMENT_SECRET', 'SHOP_TOKEN'];
const missing = secretNames.filter((name) => !process.env[name]);
if (missing.length > 0) throw new Error(`Set ${missing.join(', ')}.`);
const [secret, paymentSecret, token] = secretNames.map((name) => process.env[name]);

process.umask(0o077); // The database is for this user alone.
const database = new DatabaseSync(DATABASE);
database.exec(`
  create table if not exists quote (
    checkout text primary key, id text, domain text, price integer, currency text);
  create table if not exists sale (payment text primary key, domain text, order_id text, pay_back text);
  create table if not exists progress (order_id text primary key, event text, at integer)`);
const run = (sql, ...values) => database.prepare(sql).run(...values);
const find = (sql, ...values) => database.prepare(sql).get(...values);

const log = (level) => (message, fields) =>
  console.log(JSON.stringify({ time: new Date(), level, message, ...fields }));
const logger = { info: log('info'), warn: log('warn'), error: log('error') };

const market = new MarketClient({ logger });
const engine = sqliteEngine(database);

// What `commit` runs happens exactly once, even if the process ends in the middle of a callback.
const outbox = createOrderOutbox({
  market,
  engine,
  logger,
  onPlaced: (order, { key }, { commit }) =>
    commit(() => run('update sale set order_id = ? where payment = ?', order.public_id, key)),
  onRefused: ({ reason }, { key }, { commit }) =>
    commit(() => run('update sale set pay_back = ? where payment = ?', reason, key)),
  onAttention: ({ message }, { key }) => logger.error('needs manual review', { key, message }),
});

const payBack = ({ data: { order } }, { commit }) =>
  commit(() => run(`update sale set pay_back = 'refunded' where order_id = ?`, order.public_id));
// The history may show an event late: it replaces no newer one.
const progress = `insert into progress values (?, ?, ?) on conflict (order_id)
  do update set event = excluded.event, at = excluded.at where excluded.at >= progress.at`;
const store = ({ type, created_at, data: { order } }, { commit }) =>
  commit(() => run(progress, order.public_id, type, Date.parse(created_at)));
const inbox = createEventInbox({
  market,
  engine,
  // An event may come before onPlaced has stored its order. It waits, so that payBack finds the sale.
  outbox,
  logger,
  secret,
  startFrom: 'beginning',
  on: { 'order.transfer_completed': store, 'order.settled': store, 'order.refunded': payBack },
});

/** Replace it by what your payment provider's documentation says. It reads the bytes as they came. */
function isSigned(bytes, signature = '') {
  const expected = createHmac('sha256', paymentSecret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
const isId = (value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value);

const app = new Hono();
app.use(bodyLimit({ maxSize: 1_000_000 }));
app.post('/webhooks/market', (c) => inbox.fetch(c.req.raw));
// The webhook of your payment provider: a payment of a checkout. The provider may send it several times.
app.post('/payments', async (c) => {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (!isSigned(bytes, c.req.header('payment-signature'))) return c.text('not signed', 401);
  const { payment, checkout, amount, currency } = Object(JSON.parse(Buffer.from(bytes).toString()));
  if (!isId(payment) || !isId(checkout)) return c.text('no payment or no checkout', 400);
  const quote = find('select * from quote where checkout = ?', checkout);
  const isPaid = quote !== undefined && quote.price === amount && quote.currency === currency;
  if (!isPaid && find('select 1 from sale where payment = ?', payment) === undefined) {
    run(`insert into sale (payment, pay_back) values (?, 'not_as_quoted')`, payment);
  }
  const known = find('select pay_back from sale where payment = ?', payment);
  if (!isPaid || known?.pay_back === 'not_as_quoted') return c.json({ added: false });
  const { domain, price, id: quote_id } = quote;
  const order = { domain, expected_price: price, currency, quote_id };
  const write = () => run('insert into sale (payment, domain) values (?, ?)', payment, domain);
  return c.json(await outbox.add({ key: payment, order }, { write }));
});

// What follows is for your own programs.
app.use(bearerAuth({ token }));
// The price for a checkout, which is firm for ten minutes. It stays, however often it is asked for.
app.post('/quotes', async (c) => {
  const { checkout, domain } = Object(await c.req.json());
  if (!isId(checkout)) return c.text('no checkout', 400);
  const stored = () => find('select * from quote where checkout = ?', checkout);
  if (stored() === undefined) {
    const quote = await market.orders.quote({ domain }, { deadlineMs: 10_000 });
    const { quote_id: id, price_cents: price, currency } = quote;
    if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
    run(
      'insert or ignore into quote values (?, ?, ?, ?, ?)',
      checkout,
      id,
      domain,
      price,
      currency,
    );
  }
  return c.json(stored());
});
// A job of yours pays back each sale with a `pay_back`. It may run twice, so give your payment provider the
// payment's id as the refund's idempotency key.
app.get('/sales', (c) =>
  c.json(database.prepare('select * from sale left join progress using (order_id)').all()),
);
app.get('/health', async (c) =>
  c.json({ orders: await outbox.status(), events: await inbox.status() }),
);
// 409: this payment was stored with another order before. It has that one, and no second.
const statuses = {
  SyntaxError: 400,
  InvalidRequestError: 400,
  NotFoundError: 404,
  OutboxConflictError: 409,
};
app.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse();
  logger.error(`${c.req.method} ${c.req.path} failed`, { error: error.message });
  return c.text('failed', statuses[error.name] ?? 500);
});

await outbox.start();
await inbox.start();
const server = serve({
  fetch: app.fetch,
  hostname: HOST,
  port: Number(PORT),
  // A slow request ends. A connection stays open for longer than a load balancer keeps it.
  serverOptions: { requestTimeout: 30_000, keepAliveTimeout: 65_000 },
});
server.once('listening', () => logger.info('ready', { port: PORT }));
market.events
  .registerWebhook({ url: `${PUBLIC_URL}/webhooks/market`, secret })
  .catch((error) => logger.error('the endpoint is not registered', { error: error.message }));

process.once('SIGTERM', async () => {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await market.close();
  database.close();
});
