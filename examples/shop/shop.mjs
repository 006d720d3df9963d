// A small partner that sells domains. `npm run shop` starts it with an emulator of the service.
//
//   npm install hono @hono/node-server
//   npx market-partner-sdk emulator --env emulator.env       in a terminal of its own
//   OPERATOR_PASSWORD=… node --env-file=emulator.env shop.mjs
//
// It also reads HOST, PORT, DATABASE (a file of SQLite) or DATABASE_URL (PostgreSQL), and PUBLIC_URL.

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { MarketClient } from 'market-partner-sdk';
import { openDatabase } from './database.mjs';
import { operatorRoutes } from './operator.mjs';
import { checkoutPage, saleFragment, salePage, script, searchPage, style } from './pages.mjs';
import { createSales } from './sales.mjs';

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
// Without them anybody could order, read the sales, or decide about them.
const secretNames = ['MARKET_WEBHOOK_SECRET', 'PAYMENT_SECRET', 'SHOP_TOKEN', 'OPERATOR_PASSWORD'];
const missing = secretNames.filter((name) => !process.env[name]);
if (missing.length > 0) throw new Error(`Set ${missing.join(', ')}.`);
const [secret, paymentSecret, token, password] = secretNames.map((name) => process.env[name]);

const logError = (message) => (error) => console.error(message, error);

process.umask(0o077); // The database is for this user alone.
const database = await openDatabase(logError('PostgreSQL'));
const market = new MarketClient();
const sales = createSales({ market, database, secret });
const { outbox, inbox } = sales;

/** Replace it by what your payment provider's documentation says. It reads the bytes as they came. */
function isSigned(bytes, signature = '') {
  const expected = createHmac('sha256', paymentSecret).update(bytes).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const app = new Hono();
app.use(bodyLimit({ maxSize: 1_000_000 }));
app.use(async (c, next) => {
  await next();
  c.header('content-security-policy', "default-src 'self'");
});
app.post('/webhooks/market', (c) => inbox.fetch(c.req.raw));
// The webhook of the payment provider: a payment of a checkout. The provider may send it several times.
app.post('/payments', async (c) => {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (!isSigned(bytes, c.req.header('payment-signature'))) return c.text('not signed', 401);
  return c.json(await sales.pay(Object(JSON.parse(Buffer.from(bytes).toString()))));
});

// For programs of the shop.
const isOwn = bearerAuth({ token });
app.post('/quotes', isOwn, async (c) => {
  const { checkout, domain } = Object(await c.req.json());
  return c.json(await sales.quote(checkout, domain));
});
app.get('/sales', isOwn, async (c) => c.json(await sales.list()));
app.get('/health', isOwn, async (c) =>
  c.json({ orders: await outbox.status(), events: await inbox.status() }),
);

// For people. A page of another site can press no button here.
app.use(csrf());
app.get('/', async (c) => {
  const words = c.req.query('q');
  return c.html(searchPage(words, words ? await market.domains.search(words) : []));
});
app.post('/checkout', async (c) => {
  const { domain } = await c.req.parseBody();
  const { checkout } = await sales.quote(`checkout-${randomUUID()}`, domain);
  return c.redirect(`/checkout/${checkout}`, 303);
});
const checkout = '/checkout/:id';
app.get(checkout, async (c) => c.html(checkoutPage(await sales.findQuote(c.req.param('id')))));
// The test payment. In a real shop the payment provider's page is here, and its webhook says what was paid.
app.post(checkout, async (c) => {
  if (market.environment === 'live') return c.notFound();
  const { checkout: id, price, currency } = await sales.findQuote(c.req.param('id'));
  await sales.pay({ payment: id, checkout: id, amount: price, currency });
  return c.redirect(`/sales/${id}`, 303);
});
app.get('/sales/:id', async (c) => c.html(salePage(await sales.findSale(c.req.param('id')))));
app.get('/sales/:id/live', async (c) =>
  c.html(`${saleFragment(await sales.findSale(c.req.param('id')))}`),
);
app.get('/style.css', (c) => c.body(style, 200, { 'content-type': 'text/css' }));
app.get('/script.js', (c) => c.body(script, 200, { 'content-type': 'text/javascript' }));
app.use('/operator/*', basicAuth({ username: 'operator', password }));
app.route('/operator', operatorRoutes(sales));

app.notFound((c) => c.text('There is no such page.', 404));
// 409: this payment was stored with another order before. It has that one, and no second.
const statuses = {
  SyntaxError: 400,
  InvalidRequestError: 400,
  NotFoundError: 404,
  OutboxConflictError: 409,
};
app.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse();
  logError(`${c.req.method} ${c.req.path} failed`)(error);
  const status = error.status ?? statuses[error.name] ?? 503;
  const text =
    status === 503 ? 'Please try again in a minute.' : 'This is not for sale, or not here.';
  return c.text(text, status);
});

await inbox.start();
await outbox.start();
const server = serve({
  fetch: app.fetch,
  hostname: HOST,
  port: Number(PORT),
  // A slow request ends. A connection stays open for longer than a load balancer keeps it.
  serverOptions: { requestTimeout: 30_000, keepAliveTimeout: 65_000 },
});
server.once('listening', () => console.log('ready', process.pid));
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
