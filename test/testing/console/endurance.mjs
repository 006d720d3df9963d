// npm run soak:console: requests to an emulator with its console open, and the memory of both.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';

const total = Number(process.env.REQUESTS ?? 200_000);
const rounds = 10;
const concurrency = 20;

if (process.send === undefined) await main();
else await runEmulator();

/** The process of the emulator: its memory is nobody else's. */
async function runEmulator() {
  const emulator = await MarketEmulator.start({ control: true });
  const { keyId, secret } = emulator.createCredential();
  process.on('message', () => {
    globalThis.gc();
    const { heapUsed, rss } = process.memoryUsage();
    process.send({ heapUsed, rss });
  });
  process.on('disconnect', () => process.exit());
  process.send({ baseUrl: emulator.baseUrl, keyId, secret });
}

async function main() {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--expose-gc'] });
  const [{ baseUrl, keyId, secret }] = await once(child, 'message');
  const credential = { baseUrl, keyId, secret };
  const market = new MarketClient({ ...credential, maxRetries: 0 });
  const wrongSecret = new MarketClient({ ...credential, maxRetries: 0, secret: 'msk_wrong' });
  const orders = await placeOrders(market);

  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  const page = await browser.newPage();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await page.goto(`${baseUrl}/_emulator/#requests`);
  await page.locator('header .connected').waitFor();

  const sameKey = { idempotencyKey: 'refused' };
  const calls = [
    ...Array.from({ length: 8 }, () => () => market.domains.search('coffee')),
    ...Array.from({ length: 5 }, () => () => market.domains.getPricing('latte.example')),
    ...orders.slice(0, 4).map((id) => () => market.orders.get(id)),
    () => market.orders.get('ord_none'),
    () => wrongSecret.orders.list(),
    () => market.orders.create({ domain: 'latte.example', expected_price: 1 }, sameKey),
  ];
  console.log('requests  per second  emulator: heap MB  RSS MB  page: heap MB  DOM nodes');
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    if (round > 0) await send(calls, total / rounds);
    const seconds = (performance.now() - started) / 1000;
    await untilShown(page, baseUrl);
    const emulator = await memoryOf(child);
    const { heap, nodes } = await memoryOfPage(devtools);
    console.log(
      [
        String((round * total) / rounds).padStart(8),
        (round === 0 ? '' : (total / rounds / seconds).toFixed(0)).padStart(12),
        megabytes(emulator.heapUsed).padStart(19),
        megabytes(emulator.rss).padStart(8),
        megabytes(heap).padStart(15),
        String(nodes).padStart(11),
      ].join(''),
    );
  }
  await browser.close();
  await Promise.all([market.close(), wrongSecret.close()]);
  child.disconnect();
}

/** Some orders to show. */
async function placeOrders(market) {
  const listings = (
    await Promise.all(['coffee', 'tea', 'dog'].map((q) => market.domains.search(q)))
  )
    .flat()
    .slice(0, 10);
  const orders = [];
  for (const { domain } of listings) {
    const { price_cents } = await market.orders.quote({ domain });
    orders.push((await market.orders.create({ domain, expected_price: price_cents })).public_id);
  }
  return orders;
}

async function send(calls, count) {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const call = calls[next % calls.length];
      next += 1;
      await call().catch((error) => {
        if (error.outcome !== 'rejected') throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Waits until the page shows the last request: it has read the whole stream, or begun anew. */
async function untilShown(page, baseUrl) {
  const response = await fetch(`${baseUrl}/_emulator/v1/requests?limit=1`);
  const [latest] = await response.json();
  if (latest === undefined) return;
  await page
    .locator(`a[href="#requests/${latest.requestId}"]`)
    .first()
    .waitFor({ timeout: 60_000 });
}

async function memoryOf(child) {
  child.send('measure');
  const [usage] = await once(child, 'message');
  return usage;
}

async function memoryOfPage(devtools) {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const value = (name) => metrics.find((each) => each.name === name).value;
  return { heap: value('JSHeapUsedSize'), nodes: value('Nodes') };
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
