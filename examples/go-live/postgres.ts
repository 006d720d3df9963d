// postgres.mjs in TypeScript, for `strict` and `exactOptionalPropertyTypes`. Needs Node 22.18 or later, which runs
// it as it is, `npm install hono @hono/node-server pg pg-boss`, and `npm install -D typescript @types/node @types/pg`.
//
//   npx market-partner-sdk emulator --env emulator.env       in a terminal of its own
//   DATABASE_URL=postgres://… node --env-file=emulator.env postgres.ts

import { createHmac, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { MarketClient, type OrderEvent } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, type EventContext } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import pg from 'pg';

const { HOST = '127.0.0.1', PORT = '3000', DATABASE_URL: connectionString = '' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
// Without them anybody could order, or read the sales.
const secretNames = ['MARKET_WEBHOOK_SECRET', 'PAYMENT_SECRET', 'SHOP_TOKEN'];
const missing = ['DATABASE_URL', ...secretNames].filter((name) => !process.env[name]);
if (missing.length > 0) throw new Error(`Set ${missing.join(', ')}.`);
const [secret = '', paymentSecret = '', token = ''] = secretNames.map((name) => process.env[name]);

const log = (level: string) => (message: string, fields?: object) =>
  console.log(JSON.stringify({ time: new Date(), level, message, ...fields }));
const logger = { info: log('info'), warn: log('warn'), error: log('error') };
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const logError = (message: string) => (error: unknown) =>
  logger.error(message, { error: messageOf(error) });

// Without these listeners a lost connection ends the process: an idle one, and one that is in use.
const pool = new pg.Pool({ connectionString });
pool.on('error', logError('an idle connection to PostgreSQL is lost'));
pool.on('connect', (client) => client.on('error', logError('a connection to PostgreSQL is lost')));
// The lock is for processes that start at the same time.
await pool.query(`
  select pg_advisory_xact_lock(1);
  create table if not exists quote (
    checkout text primary key, id text, domain text, price integer, currency text);
  create table if not exists sale (payment text primary key, domain text, order_id text, pay_back text);
  create table if not exists progress (order_id text primary key, event text, at bigint)`);

interface Quote {
  readonly id: string;
  readonly domain: string;
  readonly price: number;
  readonly currency: string;
}
const find = async <Row extends object>(sql: string, ...values: string[]) =>
  (await pool.query<Row>(sql, values)).rows[0];

const market = new MarketClient({ logger });
const engine = pgBossEngine<pg.PoolClient>({ connectionString });

// What `commit` runs happens exactly once, even if the process ends in the middle of a callback.
const placed = 'update sale set order_id = $1 where payment = $2';
const refused = 'update sale set pay_back = $1 where payment = $2';
const outbox = createOrderOutbox({
  market,
  engine,
  logger,
  onPlaced: (order, { key }, { commit }) =>
    commit((client) => client.query(placed, [order.public_id, key])),
  onRefused: ({ reason }, { key }, { commit }) =>
    commit((client) => client.query(refused, [reason, key])),
  onAttention: ({ message }, { key }) => logger.error('needs manual review', { key, message }),
});

type Context = EventContext<pg.PoolClient>;
const refunded = `update sale set pay_back = 'refunded' where order_id = $1`;
const payBack = ({ data: { order } }: OrderEvent, { commit }: Context) =>
  commit((client) => client.query(refunded, [order.public_id]));
// The history may show an event late: it replaces no newer one.
const progress = `insert into progress values ($1, $2, $3) on conflict (order_id)
  do update set event = excluded.event, at = excluded.at where excluded.at >= progress.at`;
const store = ({ type, created_at, data: { order } }: OrderEvent, { commit }: Context) =>
  commit((client) => client.query(progress, [order.public_id, type, Date.parse(created_at)]));
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
function isSigned(bytes: Uint8Array, signature = ''): boolean {
  const expected = createHmac('sha256', paymentSecret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[!-~]{1,200}$/.test(value);
const findQuote = (checkout: string) =>
  find<Quote>('select * from quote where checkout = $1', checkout);
const notAsQuoted = `insert into sale (payment, pay_back) values ($1, 'not_as_quoted') on conflict do nothing`;
const findPayBack = 'select pay_back from sale where payment = $1';
const insertSale = 'insert into sale (payment, domain) values ($1, $2)';
const insertQuote = 'insert into quote values ($1, $2, $3, $4, $5) on conflict do nothing';

const app = new Hono();
app.use(bodyLimit({ maxSize: 1_000_000 }));
app.post('/webhooks/market', (c) => inbox.fetch(c.req.raw));
// The webhook of your payment provider: a payment of a checkout. The provider may send it several times.
app.post('/payments', async (c) => {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (!isSigned(bytes, c.req.header('payment-signature'))) return c.text('not signed', 401);
  const body = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown> | null;
  const { payment, checkout, amount, currency } = body ?? {};
  if (!isId(payment) || !isId(checkout)) return c.text('no payment or no checkout', 400);
  const quote = await findQuote(checkout);
  const isPaid = quote?.price === amount && quote?.currency === currency;
  if (!isPaid) await pool.query(notAsQuoted, [payment]);
  const known = await find<{ pay_back: string | null }>(findPayBack, payment);
  if (!isPaid || !quote || known?.pay_back === 'not_as_quoted') return c.json({ added: false });
  const { domain, price, id: quote_id } = quote;
  const order = { domain, expected_price: price, currency: quote.currency, quote_id };
  const write = (client: pg.PoolClient) => client.query(insertSale, [payment, domain]);
  return c.json(await outbox.add({ key: payment, order }, { write }));
});

// What follows is for your own programs.
app.use(bearerAuth({ token }));
// The price for a checkout, which is firm for ten minutes. It stays, however often it is asked for.
app.post('/quotes', async (c) => {
  const { checkout, domain } = (await c.req.json<Record<string, unknown> | null>()) ?? {};
  if (!isId(checkout)) return c.text('no checkout', 400);
  if ((await findQuote(checkout)) === undefined) {
    const quote = await market.orders.quote({ domain: String(domain) }, { deadlineMs: 10_000 });
    const { quote_id: id, price_cents: price, currency } = quote;
    if (!id || !price) throw new Error('the quote states no id or no price');
    await pool.query(insertQuote, [checkout, id, domain, price, currency]);
  }
  return c.json(await findQuote(checkout));
});
// A job of yours pays back each sale with a `pay_back`. It may run twice, so give your payment provider the
// payment's id as the refund's idempotency key.
app.get('/sales', async (c) =>
  c.json((await pool.query('select * from sale left join progress using (order_id)')).rows),
);
app.get('/health', async (c) =>
  c.json({ orders: await outbox.status(), events: await inbox.status() }),
);
// 409: this payment was stored with another order before. It has that one, and no second.
const statuses: Readonly<Record<string, 400 | 404 | 409>> = {
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

async function stop() {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await Promise.all([pool.end(), market.close()]);
}
process.once('SIGTERM', () => void stop());
