/**
 * Kills the shop, or another program to copy, again and again while it sells, then compares three books: what the
 * buyers were told, what the program stored, and what the service has.
 *
 *   node test/examples/shop-kills.mjs --kills 50
 *   DATABASE_URL=postgres://… node test/examples/shop-kills.mjs --kills 50
 *   DATABASE_URL=mysql://… node test/examples/shop-kills.mjs --kills 50 --program go-live/mysql.mjs
 *
 * On a server it makes a database of its own beside the given one, and drops it. Needs a build; with SQLite,
 * Node 22.13 or later. Ends with 1 if a sale was lost or doubled.
 */

import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { MarketClient } from 'market-partner-sdk';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { freePort } from '../support/free-port.mjs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    program: { type: 'string', default: 'shop/shop.mjs' },
  },
});
const kills = Number(values.kills);
const random = Math.random;
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const emulator = await MarketEmulator.start();
const { keyId, secret } = emulator.createCredential({ scopes: ['search', 'buy', 'webhook'] });
const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
const storage = await createStorage();
const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const secrets = { PAYMENT_SECRET: 'secret-of-the-provider', SHOP_TOKEN: 'token' };
const authorized = { authorization: `Bearer ${secrets.SHOP_TOKEN}` };
const env = {
  ...secrets,
  ...{ ...process.env, PORT: String(port), OPERATOR_PASSWORD: 'operator' },
  ...{ MARKET_BASE_URL: emulator.baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret },
  ...{ ...storage.env, MARKET_WEBHOOK_SECRET: 'whsec_of_the_kills' },
};
const hooks = ['--no-warnings', '--import', path('../durable/support/engine-packages.mjs')];

// Of the calls a tenth goes wrong, before the work or after it; of the deliveries a fifth.
emulator.faults.on('POST /orders', fault.resetAfterWork(), { chance: 0.1 });
emulator.faults.on('POST /orders', fault.internalError(), { chance: 0.05 });
emulator.faults.on('POST /quotes', fault.internalError(), { chance: 0.05 });
emulator.faults.deliveries.next('lost', { times: Infinity, chance: 0.1 });
emulator.faults.deliveries.next('twice', { times: Infinity, chance: 0.1 });

let shop = await startShop();
const payments = new Map();
let isSelling = true;
const buyers = Array.from({ length: 4 }, (_, buyer) => buy(buyer));
const staff = moveOrders();
for (let count = 0; count < kills; count += 1) {
  await sleep(300 + random() * 1_200);
  shop.kill('SIGKILL');
  shop = await startShop();
}
isSelling = false;
await Promise.all([...buyers, staff]);
emulator.faults.clear();
await untilSettled();
const problems = await findProblems();
const books = await readBooks();
shop.kill('SIGTERM');
await once(shop, 'close');
problems.push(...(await compareBooks()));
await market.close();
await emulator.stop();
await storage.drop();
for (const problem of problems) console.error(problem);
const outcome = problems.length === 0 ? 'nothing lost, nothing doubled' : 'FAILED';
console.log(`${payments.size} payments, ${kills} kills: ${outcome}`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** An empty file of SQLite, and a new database beside that of DATABASE_URL; `env` tells the program. */
async function createStorage() {
  const { DATABASE_URL: given } = process.env;
  const folder = await mkdtemp(join(tmpdir(), 'shop-kills-'));
  const env = { DATABASE: join(folder, 'shop.db'), QUEUE: join(folder, 'market.db') };
  const remove = () => rm(folder, { recursive: true });
  if (given === undefined) return { env, drop: remove };
  const url = new URL(given);
  url.pathname = `shop_kills_${randomBytes(4).toString('hex')}`;
  const name = url.pathname.slice(1);
  const isMysql = url.protocol === 'mysql:';
  const client = isMysql ? await connectToMysql(given) : new pg.Client(given);
  if (!isMysql) await client.connect();
  await client.query(`create database ${name}`);
  const drop = async () => {
    await client.query(`drop database ${name} ${isMysql ? '' : 'with (force)'}`);
    await client.end();
    await remove();
  };
  return { env: { ...env, DATABASE_URL: url.href }, drop };
}

async function connectToMysql(url) {
  const { createConnection } = await import('mysql2/promise');
  return createConnection(url);
}

async function startShop() {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [...hooks, path(`../../examples/${values.program}`)], {
    env,
    stdio,
  });
  await new Promise((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`the shop ended with ${code}`)));
    child.stdout.on('data', (text) => text.includes('ready') && resolve());
  });
  return child;
}

/** A buyer pays, and the payment provider repeats the payment until the shop has accepted it. */
async function buy(buyer) {
  for (let count = 0; isSelling; count += 1) {
    const name = `sale-${buyer}-${count}`;
    const domain = `${name}.example`;
    emulator.admin.list({ domain, price_cents: 86_000 });
    while (!(await pay(name, domain))) await sleep(50);
    payments.set(name, domain);
    // Between the quote and the order, now and then: the price moves, or the domain goes.
    if (random() < 0.05) ifListed(() => emulator.admin.delist(domain));
    await sleep(random() * 200);
  }
}

function ifListed(work) {
  try {
    work();
  } catch {
    // It is sold.
  }
}

async function pay(name, domain) {
  const quote = await post('/quotes', { checkout: name, domain });
  if (quote === undefined) return false;
  const { price: amount, currency } = quote;
  return (
    (await post('/payments', { payment: name, checkout: name, amount, currency })) !== undefined
  );
}

/** With the token, and signed as the payment provider signs; `undefined` if the shop was killed, or is not yet up. */
async function post(target, content) {
  const body = JSON.stringify(content);
  const signature = createHmac('sha256', secrets.PAYMENT_SECRET).update(body).digest('hex');
  const headers = { ...authorized, 'payment-signature': signature };
  try {
    const response = await fetch(address + target, { method: 'POST', headers, body });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The marketplace delivers what was ordered, and settles. */
async function moveOrders() {
  while (isSelling) {
    await sleep(200);
    await deliverAll();
  }
}

async function deliverAll() {
  for (const { public_id: id, status } of await market.orders.list().toArray()) {
    if (status === 'EXTERNALLY_PAID') emulator.admin.startTransfer(id);
    if (status === 'TRANSFER_IN_PROGRESS') emulator.admin.completeTransfer(id);
  }
}

/** Orders of a killed process are taken over when their lease has ended, after 30 seconds. */
async function untilSettled() {
  for (const until = Date.now() + 180_000; Date.now() < until; await sleep(500)) {
    const { orders, events } = await (
      await fetch(`${address}/health`, { headers: authorized })
    ).json();
    const left = [
      orders.waiting,
      orders.placing,
      orders.unreported,
      events.waiting,
      events.running,
    ];
    if (left.every((count) => count === 0)) return;
  }
  throw new Error('the shop has not ended its sales within three minutes');
}

async function findProblems() {
  const problems = [];
  const orders = await market.orders.list().toArray();
  const sales = await (await fetch(`${address}/sales`, { headers: authorized })).json();
  for (const [payment, domain] of payments) {
    const sale = sales.find((each) => each.payment === payment);
    const state = sale?.pay_back ? 'refused' : sale?.order_id ? 'placed' : 'open';
    const own = orders.filter((order) => order.external_payment_ref === payment);
    const expected = { placed: 1, refused: 0 }[state];
    if (own.length !== expected) problems.push(`${payment} is ${state} with ${own.length} orders`);
    if (own.some((order) => order.domain !== domain)) problems.push(`${payment}: another domain`);
  }
  const unknown = orders.filter((order) => !payments.has(order.external_payment_ref));
  for (const order of unknown) problems.push(`${order.public_id} has no payment`);
  return problems;
}

/** What `orders.reconcile` says of the program's books an hour later: a young sale may still be without its order. */
async function compareBooks() {
  emulator.clock.advance('1 hour');
  const { now: clock } = emulator.clock;
  const { baseUrl } = emulator;
  const later = new MarketClient({ baseUrl, keyId, secret, clock });
  const { agreed, sales: compared, findings } = await comparison(later);
  await later.close();
  console.log(`${agreed} of ${compared} sales agree`);
  const missing = payments.size - compared;
  return [
    ...findings.map(({ message }) => message),
    ...(agreed === compared ? [] : [`${compared - agreed} sales do not agree`]),
    ...(missing === 0 ? [] : [`${missing} payments are not in the books`]),
  ];
}

async function comparison(later) {
  if (books !== undefined) {
    const from = new Date(later.now() - 24 * 60 * 60_000);
    const compared = later.orders.reconcile({ sales: books, from });
    const findings = await compared.toArray();
    return { ...compared.summary, findings };
  }
  // The shop's own nightly comparison.
  Object.assign(process.env, storage.env);
  const { openDatabase } = await import('../../examples/shop/database.mjs');
  const { createSales } = await import('../../examples/shop/sales.mjs');
  const database = await openDatabase(console.error);
  const sales = createSales({ market: later, database, secret: 'unused' });
  await sales.reconcile();
  await database.close();
  return sales.comparison;
}

/** Of a program that gives its books; the others keep those of the shop, or none but the service's. */
async function readBooks() {
  if (values.program.startsWith('shop/')) return undefined;
  const response = await fetch(`${address}/books`, { headers: authorized });
  const lines = (await response.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
