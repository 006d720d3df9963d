// A backend that sells domains on one machine. Kill it at any moment: each payment that it accepted ends
// as one order, or as a sale to pay back. Needs Node 22.13 or later, for node:sqlite.
//
//   npx market-partner-sdk emulator --env > emulator.env     in a terminal of its own
//   node --env-file=emulator.env sqlite.mjs

import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { json } from 'node:stream/consumers';
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';

const { HOST = '127.0.0.1', PORT = '3000', DATABASE = 'shop.db' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}`, MARKET_WEBHOOK_SECRET: secret = '' } = process.env;

const database = new DatabaseSync(DATABASE);
database.exec(`
  create table if not exists quote (id text primary key, domain text, price integer, currency text);
  create table if not exists sale (payment text primary key, domain text, order_id text, pay_back text);
  create table if not exists progress (order_id text primary key, event text, at integer)`);
const run = (sql, ...values) => database.prepare(sql).run(...values);

const log = (level) => (message, fields) =>
  console.log(JSON.stringify({ time: new Date(), level, message, ...fields }));
const logger = { info: log('info'), warn: log('warn'), error: log('error') };

const market = new MarketClient({ logger });
const engine = sqliteEngine(database);

// What `commit` runs happens exactly once, though the process ends in the middle of a callback.
const outbox = createOrderOutbox({
  market,
  engine,
  logger,
  onPlaced: (order, { key }, { commit }) =>
    commit(() => run('update sale set order_id = ? where payment = ?', order.public_id, key)),
  onRefused: ({ reason }, { key }, { commit }) =>
    commit(() => run('update sale set pay_back = ? where payment = ?', reason, key)),
  onAttention: ({ message }, { key }) => logger.error('an operator must decide', { key, message }),
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
  // An event may come before onPlaced has stored its order: it waits, so that payBack finds the sale.
  outbox,
  logger,
  secret,
  startFrom: 'beginning',
  on: { 'order.transfer_completed': store, 'order.settled': store, 'order.refunded': payBack },
});

const routes = {
  // The buyer asks for a price, which is firm for ten minutes.
  async 'POST /quotes'({ domain }) {
    const { quote_id: id, price_cents: price, currency } = await market.orders.quote({ domain });
    if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
    run('insert into quote values (?, ?, ?, ?)', id, domain, price, currency);
    return { id, domain, price, currency };
  },
  // Your payment provider's webhook: verify its signature, and that it was the quote's price, before this.
  async 'POST /payments'({ payment, quote_id }) {
    const quote = database.prepare('select * from quote where id = ?').get(quote_id);
    if (quote === undefined) {
      run(`insert or ignore into sale (payment, pay_back) values (?, 'unknown_quote')`, payment);
      return { added: false };
    }
    const { domain, price, currency } = quote;
    const order = { domain, expected_price: price, currency, quote_id };
    const write = () => run('insert into sale (payment, domain) values (?, ?)', payment, domain);
    return outbox.add({ key: payment, order }, { write });
  },
  // A job of yours pays back each sale with a `pay_back`. It may run twice: give your payment provider the
  // payment's id as the refund's idempotency key.
  'GET /sales': () =>
    database.prepare('select * from sale left join progress using (order_id)').all(),
  'GET /health': async () => ({ orders: await outbox.status(), events: await inbox.status() }),
};

// 409: this payment was stored with another order before. It has that one, and no second.
const statuses = { NotFoundError: 404, OutboxConflictError: 409 };

const server = createServer(async (request, response) => {
  const name = `${request.method} ${request.url}`;
  if (name === 'POST /webhooks/market') return inbox.node(request, response);
  if (!(name in routes)) return response.writeHead(404).end();
  try {
    const result = await routes[name](request.method === 'POST' ? await json(request) : {});
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  } catch (error) {
    logger.error(`${name} failed`, { error: error.message });
    response.writeHead(statuses[error.name] ?? 500).end();
  }
});

await outbox.start();
await inbox.start();
server.listen(PORT, HOST, () => logger.info('ready', { port: PORT }));
market.events
  .registerWebhook({ url: `${PUBLIC_URL}/webhooks/market`, secret })
  .catch((error) => logger.error('the endpoint is not registered', { error: error.message }));

process.once('SIGTERM', async () => {
  server.close();
  await Promise.all([inbox.stop(), outbox.stop()]);
  await market.close();
  database.close();
});
