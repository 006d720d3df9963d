// A small partner that sells domains. `npm run shop` starts it with an emulator of the service.
//
//   node --env-file=emulator.env examples/shop/shop.mjs
//
// It reads HOST, PORT, DATABASE (a file of SQLite) or DATABASE_URL (PostgreSQL), PUBLIC_URL and OPERATOR_PASSWORD.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { MarketClient } from 'market-partner-sdk';
import { openDatabase } from './database.mjs';
import { isOperator, operatorRoutes } from './operator.mjs';
import { checkoutPage, saleFragment, salePage, script, searchPage, style } from './pages.mjs';
import { createSales } from './sales.mjs';

const { HOST = '127.0.0.1', PORT = '3000', OPERATOR_PASSWORD = '' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}`, MARKET_WEBHOOK_SECRET: secret = '' } = process.env;

const logError = (message) => (error) => console.error(message, error);

const database = await openDatabase(logError('PostgreSQL'));
const market = new MarketClient();
const sales = createSales({ market, database, secret });
const { outbox, inbox } = sales;

/** What follows the first word of a path is an id. A route gives a page, a text or an address. */
const routes = {
  'GET /': async ({ q }) => ({ page: searchPage(q, q ? await market.domains.search(q) : []) }),
  async 'POST /checkout'({ domain }) {
    const payment = `payment-${randomUUID()}`;
    await sales.quote(payment, domain);
    return { location: `/checkout/${payment}` };
  },
  'GET /checkout/:id': async ({ id }) => ({ page: checkoutPage(await sales.findQuote(id)) }),
  // The test payment. In a real shop the payment provider's page is here.
  async 'POST /checkout/:id'({ id }) {
    await sales.pay(id);
    return { location: `/sales/${id}` };
  },
  // The webhook of a payment provider. In a real shop verify its signature, and the amount, first.
  async 'POST /buy'({ payment, domain }) {
    await sales.quote(payment, domain);
    await sales.pay(payment);
    return { text: 'received' };
  },
  'GET /sales/:id': async ({ id }) => ({ page: salePage(await sales.findSale(id)) }),
  // For a program that asks: placed, refused (the buyer is paid back) or open.
  'GET /sales/:id/state': async ({ id }) => ({ text: (await sales.findSale(id)).outcome }),
  'GET /sales/:id/live': async ({ id }) => ({ text: `${saleFragment(await sales.findSale(id))}` }),
  async 'GET /health'() {
    const status = { orders: await outbox.status(), events: await inbox.status() };
    return { text: JSON.stringify(status), type: 'application/json' };
  },
  'GET /style.css': async () => ({ text: style, type: 'text/css' }),
  'GET /script.js': async () => ({ text: script, type: 'text/javascript' }),
  ...operatorRoutes(sales),
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, PUBLIC_URL);
  if (pathname === '/webhooks/market') return inbox.node(request, response);
  if (pathname.startsWith('/operator') && !isOperator(request, OPERATOR_PASSWORD)) {
    return response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  }
  const [, id] = /^\/(?:checkout|sales)\/([^/]+)/.exec(pathname) ?? [];
  const name = `${request.method} ${id === undefined ? pathname : pathname.replace(id, ':id')}`;
  if (routes[name] === undefined) return response.writeHead(404).end('There is no such page.');
  try {
    const form = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
    const input = { ...Object.fromEntries([...searchParams, ...form]), id: id ?? form.get('id') };
    send(response, await routes[name](input));
  } catch (error) {
    logError(`${name} failed`)(error);
    const isGone = error.isGone === true || error.response?.status === 404;
    response.statusCode = isGone ? 404 : 503;
    response.end(isGone ? 'This is not for sale, or not here.' : 'Please try again in a minute.');
  }
});

function send(response, { page, text: body = page, location, type = 'text/plain' }) {
  if (location !== undefined) return response.writeHead(303, { location }).end();
  response.writeHead(200, {
    'content-type': `${page === undefined ? type : 'text/html'}; charset=utf-8`,
    'content-security-policy': "default-src 'self'",
  });
  response.end(body);
}

await inbox.start();
await outbox.start();
server.listen(PORT, HOST, () => console.log('ready', process.pid));
market.events
  .registerWebhook({ url: `${PUBLIC_URL}/webhooks/market`, secret })
  .catch(logError('the endpoint is not registered'));
compareEveryNight();

/** At four o'clock. After a night without the shop, the next one compares the whole week. */
async function compareEveryNight() {
  for (;;) {
    const next = new Date(market.now());
    next.setHours(next.getHours() < 4 ? 4 : 28, 0, 0, 0);
    await setTimeout(next - market.now(), undefined, { ref: false });
    await sales.reconcile().catch(logError('the books were not compared'));
  }
}

process.once('SIGTERM', () => {
  server.close(async () => {
    await Promise.all([inbox.stop(), outbox.stop()]);
    await Promise.all([database.close(), market.close()]);
  });
});
