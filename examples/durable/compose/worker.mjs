// One of several workers: it takes payments and webhooks, places orders and handles events. All of them
// share the queues in PostgreSQL; any of them may be killed.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import pg from 'pg';
import { PgBoss } from 'pg-boss';

const { DATABASE_URL: connectionString, MARKET_WEBHOOK_SECRET: secret } = process.env;
const { HOST: host = '127.0.0.1', PORT: port, PGBOSS_SCHEMA: schema = 'pgboss' } = process.env;

const pool = new pg.Pool({ connectionString });
pool.on('error', (error) => console.error('pool', error.message));
const boss = new PgBoss({ connectionString, schema });
boss.on('error', (error) => console.error('pg-boss', error.message));
await boss.start();
// The lock is for workers that start at the same time.
await pool.query(`
  select pg_advisory_xact_lock(1);
  create table if not exists ${schema}.sale (
    payment text primary key, domain text, order_id text, pay_back text)`);
const insertSale = `insert into ${schema}.sale (payment, domain) values ($1, $2)`;
const setOrder = `update ${schema}.sale set order_id = $1 where payment = $2`;
const setPayBack = `update ${schema}.sale set pay_back = $1 where payment = $2`;

// Plain http, to the emulator of the compose file alone: with a live key the client refuses it.
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
  // An event may come before onPlaced has stored its order: it waits.
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

const server = createServer((request, response) => {
  const { method, url } = request;
  if (method === 'POST' && url === '/webhooks/market') return inbox.node(request, response);
  const work = method === 'POST' && url === '/payments' ? takePayment(request) : status();
  work.then(
    (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
    // 409: this payment was stored with another order before.
    (error) =>
      response.writeHead(error.name === 'OutboxConflictError' ? 409 : 500).end(error.message),
  );
});
server.listen(Number(port), host, () => console.log('ready'));

/** The payment and the order to place are stored together, or not at all. */
async function takePayment(request) {
  const { id, domain, cents } = await json(request);
  const order = { domain, expected_price: cents, currency: 'USD' };
  return outbox.add(
    { key: id, order },
    { write: (client) => client.query(insertSale, [id, domain]) },
  );
}

async function status() {
  return { inbox: await inbox.status(), outbox: await outbox.status() };
}

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);

/** What runs may end; the rest goes to another worker at once. */
async function stop() {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await boss.stop({ graceful: false });
  await Promise.all([pool.end(), market.close()]);
  server.closeAllConnections();
}
