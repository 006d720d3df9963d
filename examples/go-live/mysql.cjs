// mysql.mjs in CommonJS, for Express 4 and Knex. Kill it at any moment. Each payment that it accepted becomes one
// order, or a sale to pay back. Needs Node 22.13 or later for node:sqlite, and `npm install express@4 knex mysql2`.
//
//   npx market-partner-sdk emulator --env emulator.env       in a terminal of its own
//   DATABASE_URL=mysql://user:password@localhost/shop node --env-file=emulator.env mysql.cjs

const { createHash, createHmac, timingSafeEqual } = require('node:crypto');
const express = require('express');
const createKnex = require('knex');
const { MarketClient } = require('market-partner-sdk');
const { createEventInbox, createOrderOutbox, sqliteEngine } = require('market-partner-sdk/durable');

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

const knex = createKnex({ client: 'mysql2', connection: DATABASE_URL });
// Ids differ in each letter's case, so they are compared as bytes. Times are milliseconds, which no time zone moves.
async function createTables() {
  const id = 'varchar(200) character set utf8mb4 collate utf8mb4_bin';
  await knex.raw(`create table if not exists quote (
    checkout ${id} primary key, id text, domain text, price bigint, currency text)`);
  // `sale` is what `outbox.add` gets, as JSON. A payment that was not as quoted has none.
  await knex.raw(`create table if not exists sale (
    payment ${id} primary key, sale text, paid_at bigint not null, pay_back text, order_id ${id}, order_price bigint,
    status text, status_at bigint, refunded_at bigint, index (order_id), index (paid_at))`);
}

const market = new MarketClient({ logger });
process.umask(0o077); // The queue is for this user alone.
const engine = sqliteEngine(QUEUE);

/** The sales without a result. `add` covers those of the last minute. */
async function* openSales() {
  const rows = await knex('sale')
    .whereNotNull('sale')
    .whereNull('order_id')
    .whereNull('pay_back')
    .where('paid_at', '<', Date.now() - 60_000);
  for (const { sale } of rows) yield JSON.parse(sale);
}

// The engine cannot join a transaction of MySQL. So these may run twice, and write the same each time.
const update = (payment, fields) => knex('sale').where({ payment }).update(fields);
const keep = (name, value) => knex.raw('coalesce(??, ?)', [name, value]);
const outbox = createOrderOutbox({
  market,
  engine,
  logger,
  recover: openSales,
  onPlaced: ({ public_id: order_id, sale_price_cents: order_price = null }, { key }) =>
    update(key, { order_id, order_price }),
  onRefused: ({ reason }, { key }) => update(key, { pay_back: keep('pay_back', reason) }),
  onRefunded: (_order, { key }) =>
    update(key, {
      pay_back: keep('pay_back', 'withdrawn'),
      refunded_at: keep('refunded_at', Date.now()),
    }),
  onNotRefunded: ({ message }, { key }) => logger.error('the order stands', { key, message }),
  onAttention: ({ message }, { key }) => logger.error('needs manual review', { key, message }),
});

// The history may show an event late: it replaces no newer one, and no refund.
const follow = ({ created_at, data: { order } }) => {
  const status_at = Date.parse(created_at);
  return knex('sale')
    .where({ order_id: order.public_id, refunded_at: null })
    .whereRaw('coalesce(status_at, 0) <= ?', [status_at])
    .update({ status: order.status, status_at });
};
const payBack = ({ created_at, data: { order } }) =>
  knex('sale')
    .where({ order_id: order.public_id })
    .update({
      status: order.status,
      refunded_at: Date.parse(created_at),
      pay_back: keep('pay_back', 'refunded'),
    });
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
    'order.refunded': payBack,
  },
});

/** Replace it by what your payment provider's documentation says. It reads the bytes as they came. */
function isSigned(bytes, signature = '') {
  const expected = createHmac('sha256', paymentSecret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
const hash = (text) => createHash('sha256').update(text).digest();
const hasToken = ({ headers: { authorization = '' } }) =>
  timingSafeEqual(hash(authorization), hash(`Bearer ${token}`));
const isId = (value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value);
const findQuote = (checkout) => knex('quote').where({ checkout }).first();

const app = express();
app.disable('x-powered-by');
// Before any parser: both read the bytes as they came.
app.post('/webhooks/market', inbox.node);
const raw = express.raw({ type: () => true, limit: '1mb' });
/** Express 4 does not await a route. */
const route = (run) => (request, response, next) =>
  run(request)
    .then((result) => response.json(result))
    .catch(next);
const failure = (status, message) => Object.assign(new Error(message), { status });
const jsonOf = (body) => Object(JSON.parse(Buffer.from(body).toString()));

// The webhook of your payment provider: a payment of a checkout. The provider may send it several times.
app.post(
  '/payments',
  raw,
  route(async ({ body, headers }) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    if (!isSigned(bytes, headers['payment-signature'])) throw failure(401, 'not signed');
    const { payment, checkout, amount, currency } = jsonOf(bytes);
    if (!isId(payment) || !isId(checkout)) throw failure(400, 'no payment or no checkout');
    const quote = await findQuote(checkout);
    const isPaid = quote !== undefined && quote.price === amount && quote.currency === currency;
    const store = (fields) =>
      // A payment that is known stays as it was stored first.
      knex('sale')
        .insert({ payment, paid_at: Date.now(), ...fields })
        .onConflict('payment')
        .ignore();
    if (!isPaid) {
      await store({ pay_back: 'not_as_quoted' });
      return { added: false };
    }
    const { domain, price: expected_price, id: quote_id } = quote;
    const sale = { key: payment, order: { domain, expected_price, currency, quote_id } };
    // The payment comes first. If the process ends before `add`, `recover` returns the sale.
    await store({ sale: JSON.stringify(sale) });
    const stored = await knex('sale').where({ payment }).first();
    if (stored.sale === null) return { added: false };
    // This payment was stored with another order before. It has that one, and no second.
    if (stored.sale !== JSON.stringify(sale)) throw failure(409, 'another order');
    return outbox.add(JSON.parse(stored.sale));
  }),
);

// What follows is for your own programs.
app.use((request, response, next) => (hasToken(request) ? next() : response.status(401).end()));
// The price for a checkout, which is firm for ten minutes. It stays, however often it is asked for.
app.post(
  '/quotes',
  raw,
  route(async ({ body }) => {
    const { checkout, domain } = jsonOf(body);
    if (!isId(checkout)) throw failure(400, 'no checkout');
    if ((await findQuote(checkout)) === undefined) {
      const quote = await market.orders.quote({ domain }, { deadlineMs: 10_000 });
      const { quote_id: id, price_cents: price, currency } = quote;
      if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
      const row = { checkout, id, domain, price, currency };
      await knex('quote').insert(row).onConflict('checkout').ignore();
    }
    return findQuote(checkout);
  }),
);
// The buyer withdraws. `pay_back` says when the order is taken back. If it cannot be, the log says so.
app.post(
  '/withdrawals',
  raw,
  route(async ({ body }) => outbox.refund(jsonOf(body).payment, { reason: 'the buyer withdrew' })),
);
// A job of yours pays back each sale with a `pay_back`. It may run twice, so give your payment provider the
// payment's id as the refund's idempotency key.
app.get(
  '/sales',
  route(async () => knex('sale')),
);
// The sales of the last eight days, for `market-partner-sdk reconcile`.
app.get('/books', (_request, response, next) => {
  const since = Date.now() - 8 * 24 * 60 * 60_000;
  knex('sale')
    .whereNotNull('sale')
    .where('paid_at', '>', since)
    .then((rows) => rows.map((row) => `${JSON.stringify(inBooks(row))}\n`).join(''))
    .then((lines) => response.type('text').send(lines))
    .catch(next);
});
app.get(
  '/health',
  route(async () => ({ orders: await outbox.status(), events: await inbox.status() })),
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
app.use((error, request, response, _next) => {
  const status = error.status ?? statuses[error.name] ?? 500;
  if (status === 500) logError(`${request.method} ${request.path} failed`)(error);
  if (!response.headersSent) response.status(status).send('failed');
});

let server;
async function start() {
  await createTables();
  await outbox.start();
  await inbox.start();
  server = app.listen(Number(PORT), HOST, () => logger.info('ready', { port: PORT }));
  // A slow request ends. A connection stays open for longer than a load balancer keeps it.
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;
  market.events
    .registerWebhook({ url: `${PUBLIC_URL}/webhooks/market`, secret })
    .catch(logError('the endpoint is not registered'));
}
start().catch((error) => {
  logError('not started')(error);
  process.exit(1);
});

process.once('SIGTERM', async () => {
  server?.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await Promise.all([knex.destroy(), market.close()]);
});
