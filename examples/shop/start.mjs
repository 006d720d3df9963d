// npm run shop: an emulator of the service with its console, and the shop. Kill the shop: it starts again.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MarketEmulator } from 'market-partner-sdk/testing';

const { PORT = '3000', EMULATOR_PORT = '4010' } = process.env;
if (process.getBuiltinModule?.('node:sqlite') === undefined && !process.env.DATABASE_URL) {
  console.error(
    'The shop needs Node 22.13 or later for node:sqlite, or DATABASE_URL of a PostgreSQL.',
  );
  process.exit(1);
}
const emulator = await MarketEmulator.start({ port: Number(EMULATOR_PORT), control: true });
const { keyId, secret } = emulator.createCredential({ scopes: ['search', 'buy', 'webhook'] });
const folder = await mkdtemp(join(tmpdir(), 'shop-'));
const env = {
  PORT,
  DATABASE: join(folder, 'shop.db'),
  OPERATOR_PASSWORD: 'operator',
  PAYMENT_SECRET: 'secret_of_the_payment_provider',
  SHOP_TOKEN: 'token_of_the_shops_programs',
  ...process.env,
  MARKET_BASE_URL: emulator.baseUrl,
  MARKET_KEY_ID: keyId,
  MARKET_SECRET: secret,
  MARKET_WEBHOOK_SECRET: 'whsec_of_this_shop',
};

let shop;
let isStopping = false;
function startShop() {
  const file = fileURLToPath(new URL('shop.mjs', import.meta.url));
  shop = spawn(process.execPath, ['--no-warnings', file], { env, stdio: 'inherit' });
  shop.once('close', (code, signal) => {
    if (!isStopping && signal === 'SIGKILL') startShop();
    else if (!isStopping) stop();
  });
}
startShop();

async function stop() {
  isStopping = true;
  shop.kill('SIGTERM');
  if (shop.exitCode === null) await new Promise((resolve) => shop.once('close', resolve));
  await emulator.stop();
  await rm(folder, { recursive: true });
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

const address = `http://127.0.0.1:${PORT}/`;
console.log(
  `Shop: ${address} (the operator's page is ${address}operator, user and password: operator)`,
);
console.log(`Be the marketplace: ${emulator.baseUrl}/_emulator/`);
const open = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
if (process.stdout.isTTY) spawn(open, [address], { stdio: 'ignore' }).once('error', () => {});
