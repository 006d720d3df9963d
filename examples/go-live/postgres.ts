// postgres.mjs in TypeScript, for `strict` and `exactOptionalPropertyTypes`. Needs Node 22.18 or later, which runs
// it as it is, and `npm install pg pg-boss` and `npm install -D typescript @types/node @types/pg`.
//
//   npx market-partner-sdk emulator --env > emulator.env     in a terminal of its own
//   DATABASE_URL=postgres://… node --env-file=emulator.env postgres.ts

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { MarketClient, type OrderEvent } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, type EventContext } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import pg from 'pg';

const { HOST = '127.0.0.1', PORT = '3000', DATABASE_URL: connectionString = '' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}`, MARKET_WEBHOOK_SECRET: secret = '' } = process.env;

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
  create table if not exists quote (id text primary key, domain text, price integer, currency text);
  create table if not exists sale (payment text primary key, domain text, order_id text, pay_back text);
  create table if not exists progress (order_id text primary key, event text, at bigint)`);

const market = new MarketClient({ logger });
const engine = pgBossEngine<pg.PoolClient>({ connectionString });

// What `commit` runs happens exactly once, though the process ends in the middle of a callback.
const placed = 'update sale set order_id = $1 where payment = $2';
const refused = 'update sale set pay_back = $1 where payment = $2';
const unknown = `insert into sale (payment, pay_back) values ($1, 'unknown_quote') on conflict do nothing`;
const outbox = createOrderOutbox({
  market,
  engine,
  logger,
  onPlaced: (order, { key }, { commit }) =>
    commit((client) => client.query(placed, [order.public_id, key])),
  onRefused: ({ reason }, { key }, { commit }) =>
    commit((client) => client.query(refused, [reason, key])),
  onAttention: ({ message }, { key }) => logger.error('an operator must decide', { key, message }),
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
  // An event may come before onPlaced has stored its order: it waits, so that payBack finds the sale.
  outbox,
  logger,
  secret,
  startFrom: 'beginning',
  on: { 'order.transfer_completed': store, 'order.settled': store, 'order.refunded': payBack },
});

interface StoredQuote {
  domain: string;
  price: number;
  currency: string;
}

type Route = (body: Record<string, unknown>) => unknown;

const routes: Readonly<Record<string, Route>> = {
  // The buyer asks for a price, which is firm for ten minutes.
  async 'POST /quotes'(body) {
    const domain = String(body.domain);
    const { quote_id: id, price_cents: price, currency } = await market.orders.quote({ domain });
    if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
    await pool.query('insert into quote values ($1, $2, $3, $4)', [id, domain, price, currency]);
    return { id, domain, price, currency };
  },
  // Your payment provider's webhook: verify its signature, and that it was the quote's price, before this.
  async 'POST /payments'(body) {
    const { payment, quote_id } = {
      payment: String(body.payment),
      quote_id: String(body.quote_id),
    };
    const { rows } = await pool.query<StoredQuote>('select * from quote where id = $1', [quote_id]);
    const [quote] = rows;
    if (quote === undefined) {
      await pool.query(unknown, [payment]);
      return { added: false };
    }
    const { domain, price, currency } = quote;
    const order = { domain, expected_price: price, currency, quote_id };
    const insert = 'insert into sale values ($1, $2)';
    return outbox.add(
      { key: payment, order },
      { write: (client) => client.query(insert, [payment, domain]) },
    );
  },
  // A job of yours pays back each sale with a `pay_back`. It may run twice: give your payment provider the
  // payment's id as the refund's idempotency key.
  'GET /sales': async () =>
    (await pool.query('select * from sale left join progress using (order_id)')).rows,
  'GET /health': async () => ({ orders: await outbox.status(), events: await inbox.status() }),
};

// 409: this payment was stored with another order before. It has that one, and no second.
const statuses: Readonly<Record<string, number>> = { NotFoundError: 404, OutboxConflictError: 409 };

const server = createServer((request, response) => {
  const name = `${request.method} ${request.url}`;
  if (name === 'POST /webhooks/market') return void inbox.node(request, response);
  const route = routes[name];
  if (route === undefined) return void response.writeHead(404).end();
  const answer = async () => {
    const body = request.method === 'POST' ? await json(request) : {};
    const result = await route(body as Record<string, unknown>);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  };
  answer().catch((error: unknown) => {
    logError(`${name} failed`)(error);
    response.writeHead((error instanceof Error && statuses[error.name]) || 500).end();
  });
});

await outbox.start();
await inbox.start();
server.listen(Number(PORT), HOST, () => logger.info('ready', { port: PORT }));
market.events
  .registerWebhook({ url: `${PUBLIC_URL}/webhooks/market`, secret })
  .catch(logError('the endpoint is not registered'));

async function stop() {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await Promise.all([pool.end(), market.close()]);
}
process.once('SIGTERM', () => void stop());
