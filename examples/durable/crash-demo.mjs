// A shop that dies in the middle of an order and sells once. The first run is killed after the service
// recorded the order and before its response arrived; the second run finds the intent and ends it.
//
//   node examples/durable/crash-demo.mjs
//
// Needs node:sqlite (Node 22.13 and later), or `npm install better-sqlite3@12`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MarketClient } from 'market-partner-sdk';
import { createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';

const [file, manner] = process.argv.slice(2);
const openDatabase = findSqlite();
if (openDatabase === undefined) {
  console.error(
    `This example needs node:sqlite (Node 22.13 or later; this is ${process.versions.node}), or: npm install better-sqlite3@12`,
  );
  process.exitCode = 1;
} else if (file === undefined) await showBothRuns();
else await runShop();

/** The shop's program: it may be started as often as you like. */
async function runShop() {
  const market = new MarketClient();
  const outbox = createOrderOutbox({
    market: manner === 'dies' ? dyingMarket(market) : market,
    engine: sqliteEngine(openDatabase(file)),
    leaseMs: 1_000,
    onPlaced: (order, { key }) => console.log(`${key} is an order, ${order.status}`),
    onRefused: ({ message }, { key }) => console.error(`pay back ${key}:`, message),
    onAttention: ({ message }, { key }) => console.error(`look at ${key}:`, message),
  });
  await outbox.start();
  const order = { domain: 'brew.example', expected_price: 86_000, currency: 'USD' };
  await outbox.add({ key: 'payment-1001', order });
  await outbox.waitFor('payment-1001');
  await outbox.stop();
  await market.close();
}

/** The power goes between the order and its response. */
function dyingMarket(market) {
  const create = async (...args) => {
    const order = await market.orders.create(...args);
    process.kill(process.pid, 'SIGKILL');
    return order;
  };
  const orders = new Proxy(market.orders, {
    get: (target, name) => (name === 'create' ? create : target[name].bind(target)),
  });
  return { orders, environment: market.environment };
}

async function showBothRuns() {
  const emulator = await MarketEmulator.start();
  const { keyId, secret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  emulator.admin.list({ domain: 'brew.example', price_cents: 86_000 });
  const folder = await mkdtemp(join(tmpdir(), 'shop-'));
  const env = {
    ...process.env,
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
  };
  for (const args of [['dies'], []]) {
    const program = [fileURLToPath(import.meta.url), join(folder, 'shop.db'), ...args];
    const options = { env, stdio: ['ignore', 'inherit', 'inherit'] };
    const shop = spawn(process.execPath, ['--no-warnings', ...program], options);
    const [code, signal] = await once(shop, 'exit');
    console.log('the shop ended with', signal ?? code);
    // Only the first run may die, and only by the planted signal.
    if (signal !== (args.length > 0 ? 'SIGKILL' : null) || (signal === null && code !== 0)) {
      process.exitCode = 1;
    }
  }
  const orders = await market.orders.list({ domain: 'brew.example' }).toArray();
  console.log('orders at the service:', orders.length);
  await market.close();
  await emulator.stop();
  await rm(folder, { recursive: true });
}

/** Opens a file for sqliteEngine, which opens a path with node:sqlite. */
function findSqlite() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return (path) => new Database(path);
  } catch {
    return process.getBuiltinModule?.('node:sqlite') && ((path) => path);
  }
}
