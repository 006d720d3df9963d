// A backend that sells domains, with its payments in MySQL or MariaDB, on one machine. Kill it at any moment. Each
// payment that it accepted becomes one order, or a sale to pay back. The outbox and the inbox keep their work in a
// file of SQLite. If that file is lost, the sales are recovered from the database. Needs Node 22.13 or later for
// node:sqlite, and `npm install hono @hono/node-server mysql2`.
//
//   npx market-partner-sdk emulator --env emulator.env       in a terminal of its own
//   DATABASE_URL=mysql://user:password@localhost/shop node --env-file=emulator.env mysql.mjs

import { createHmac, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';
import mysql from 'mysql2/promise';

const { HOST = '127.0.0.1', PORT = '3000', DATABASE_URL, QUEUE = 'market.db' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
// Without them anybody could order, or read the sales.
const secretNames = ['MARKET_WEBHOOK_SECRET', 'PAYMENT_SECRET', 'SHOP_TOKEN'];
const missing = ['DATABASE_URL', ...secretNames].filter((name) => !process.env[name]);
if (missing.length > 0) throw new Error(`Set ${missing.join(', ')}.`);
const [secret, paymentSecret, token] = secretNames.map((name) => process.env[name]);

const log = (level) => (message, fields) =>
  console.log(JSON.stringify({ time: new Date(), level, message, ...fields }));
const logger = { info: log('info'), warn: log('warn'), error: log('error') };
const logError = (message) => (error) => logger.error(message, { error: error.message });

const pool = mysql.createPool({ uri: DATABASE_URL });
const query = async (sql, ...values) => (await pool.execute(sql, values))[0];
// Ids differ in each letter's case, so they are compared as bytes. Times are milliseconds, which no time zone moves.
await query(`create table if not exists quote (
  checkout varchar(200) character set utf8mb4 collate utf8mb4_bin primary key,
  id text, domain text, price bigint, currency text)`);
// `sale` is what `outbox.add` gets, as JSON. A payment that was not as quoted has none.
await query(`create table if not exists sale (
  payment varchar(200) character set utf8mb4 collate utf8mb4_bin primary key,
  sale text, paid_at bigint not null, pay_back text,
  order_id varchar(200) character set utf8mb4 collate utf8mb4_bin, order_price bigint,
  status text, status_at bigint, refunded_at bigint, index (order_id), index (paid_at))`);

const market = new MarketClient({ logger });
process.umask(0o077); // The queue is for this user alone.
const engine = sqliteEngine(QUEUE);

/** The sales without a result. `add` covers those of the last minute. */
async function* openSales() {
  const open = 'sale is not null and order_id is null and pay_back is null';
  const paid = Date.now() - 60_000;
  const rows = await query(`select sale from sale where ${open} and paid_at < ?`, paid);
  for (const { sale } of rows) yield JSON.parse(sale);
}

// The engine cannot join a transaction of MySQL. So these may run twice, and write the same each time.
const setOrder = 'update sale set order_id = ?, order_price = ? where payment = ?';
const setPayBack = 'update sale set pay_back = coalesce(pay_back, ?) where payment = ?';
const setWithdrawn = `update sale set pay_back = coalesce(pay_back, 'withdrawn'),
  refunded_at = coalesce(refunded_at, ?) where payment = ?`;
const outbox = createOrderOutbox({
  market,
  engine,
  logger,
  recover: openSales,
  onPlaced: ({ public_id, sale_price_cents = null }, { key }) =>
    query(setOrder, public_id, sale_price_cents, key),
  onRefused: ({ reason }, { key }) => query(setPayBack, reason, key),
  onRefunded: (_order, { key }) => query(setWithdrawn, Date.now(), key),
  onNotRefunded: ({ message }, { key }) => logger.error('the order stands', { key, message }),
  onAttention: ({ message }, { key }) => logger.error('needs manual review', { key, message }),
});

// The history may show an event late: it replaces no newer one, and no refund.
const setStatus = `update sale set status = ?, status_at = ?
  where order_id = ? and refunded_at is null and coalesce(status_at, 0) <= ?`;
const setRefund = `update sale set status = ?, refunded_at = ?, pay_back = coalesce(pay_back, 'refunded')
  where order_id = ?`;
const follow = ({ created_at, data: { order } }) => {
  const at = Date.parse(created_at);
  return query(setStatus, order.status, at, order.public_id, at);
};
const inbox = createEventInbox({
  market,
  engine,
  // An event may come before onPlaced has stored its order. It waits, so that its update finds the sale.
  outbox,
  logger,
  secret,
  startFrom: 'beginning',
  on: {
    'order.manual_review_cleared': follow,
    'order.transfer_started': follow,
    'order.transfer_completed': follow,
    'order.settled': follow,
    'order.refunded': ({ created_at, data: { order } }) =>
      query(setRefund, order.status, Date.parse(created_at), order.public_id),
  },
});

/** Replace it by what your payment provider's documentation says. It reads the bytes as they came. */
function isSigned(bytes, signature = '') {
  const expected = createHmac('sha256', paymentSecret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
const isId = (value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value);
const findQuote = async (checkout) =>
  (await query('select * from quote where checkout = ?', checkout))[0];
// A payment that is known stays as it was stored first.
const insertSale = `insert into sale (payment, sale, paid_at, pay_back) values (?, ?, ?, ?)
  on duplicate key update payment = payment`;
const insertQuote = `insert into quote values (?, ?, ?, ?, ?)
  on duplicate key update checkout = checkout`;

const app = new Hono();
app.use(bodyLimit({ maxSize: 1_000_000 }));
app.post('/webhooks/market', (c) => inbox.fetch(c.req.raw));
// The webhook of your payment provider: a payment of a checkout. The provider may send it several times.
app.post('/payments', async (c) => {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (!isSigned(bytes, c.req.header('payment-signature'))) return c.text('not signed', 401);
  const { payment, checkout, amount, currency } = Object(JSON.parse(Buffer.from(bytes).toString()));
  if (!isId(payment) || !isId(checkout)) return c.text('no payment or no checkout', 400);
  const quote = await findQuote(checkout);
  const isPaid = quote !== undefined && quote.price === amount && quote.currency === currency;
  if (!isPaid) {
    await query(insertSale, payment, null, Date.now(), 'not_as_quoted');
    return c.json({ added: false });
  }
  const { domain, price: expected_price, id: quote_id } = quote;
  const sale = { key: payment, order: { domain, expected_price, currency, quote_id } };
  // The payment comes first. If the process ends before `add`, `recover` returns the sale.
  await query(insertSale, payment, JSON.stringify(sale), Date.now(), null);
  const [stored] = await query('select sale from sale where payment = ?', payment);
  if (stored.sale === null) return c.json({ added: false });
  // 409: this payment was stored with another order before. It has that one, and no second.
  if (stored.sale !== JSON.stringify(sale)) return c.text('another order', 409);
  return c.json(await outbox.add(JSON.parse(stored.sale)));
});

// What follows is for your own programs.
app.use(bearerAuth({ token }));
// The price for a checkout, which is firm for ten minutes. It stays, however often it is asked for.
app.post('/quotes', async (c) => {
  const { checkout, domain } = Object(await c.req.json());
  if (!isId(checkout)) return c.text('no checkout', 400);
  if ((await findQuote(checkout)) === undefined) {
    const quote = await market.orders.quote({ domain }, { deadlineMs: 10_000 });
    const { quote_id: id, price_cents: price, currency } = quote;
    if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
    await query(insertQuote, checkout, id, domain, price, currency);
  }
  return c.json(await findQuote(checkout));
});
// The buyer withdraws. `pay_back` says when the order is taken back. If it cannot be, the log says so.
app.post('/withdrawals', async (c) => {
  const { payment } = Object(await c.req.json());
  return c.json(await outbox.refund(payment, { reason: 'the buyer withdrew' }));
});
// A job of yours pays back each sale with a `pay_back`. It may run twice, so give your payment provider the
// payment's id as the refund's idempotency key.
app.get('/sales', async (c) => c.json(await query('select * from sale')));
// The sales of the last eight days, for `market-partner-sdk reconcile`.
app.get('/books', async (c) => {
  const since = Date.now() - 8 * 24 * 60 * 60_000;
  const rows = await query('select * from sale where sale is not null and paid_at > ?', since);
  return c.text(rows.map((row) => `${JSON.stringify(inBooks(row))}\n`).join(''));
});
app.get('/health', async (c) =>
  c.json({ orders: await outbox.status(), events: await inbox.status() }),
);

function inBooks({ payment, sale, paid_at, pay_back, order_id, order_price, status, refunded_at }) {
  const { order } = JSON.parse(sale);
  return {
    idempotencyKey: payment,
    startedAt: new Date(paid_at),
    input: {
      ...order,
      expected_price: order_price ?? order.expected_price,
      external_payment_ref: payment,
    },
    state: order_id !== null ? 'placed' : pay_back !== null ? 'refused' : 'open',
    ...(order_id !== null && { publicId: order_id }),
    ...(status !== null && { status }),
    ...(refunded_at !== null && { refundedAt: new Date(refunded_at) }),
  };
}

const statuses = {
  SyntaxError: 400,
  InvalidRequestError: 400,
  NotFoundError: 404,
  OutboxConflictError: 409,
};
app.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse();
  logError(`${c.req.method} ${c.req.path} failed`)(error);
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
  .catch(logError('the endpoint is not registered'));

process.once('SIGTERM', async () => {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await Promise.all([pool.end(), market.close()]);
});
