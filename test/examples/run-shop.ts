/** The shop as a process, with an emulator in the test, and a look at its pages. */

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { expect, onTestFinished } from 'vitest';
import { findNodeWithSqlite } from '../durable/support/find-sqlite.js';
import { freePort } from '../support/free-port.mjs';
import { startProgram } from '../support/program.js';

export const node = findNodeWithSqlite();
export const shopSecrets = { PAYMENT_SECRET: 'secret-of-the-provider', SHOP_TOKEN: 'token' };
const headers = { authorization: `Bearer ${shopSecrets.SHOP_TOKEN}` };
export const packages = ['--import', './test/durable/support/engine-packages.mjs'];

/** The shop's clock is ahead by so much, and by an hour more with each SIGUSR2. */
const movableClock = (aheadMs: number) => `data:text/javascript,
  const now = Date.now;
  let aheadMs = ${aheadMs};
  Date.now = () => now() + aheadMs;
  process.on('SIGUSR2', () => { aheadMs += 3_600_000; });`;

/** Starts the shop on SQLite; emulator and shop have the same time. */
export async function runShop({ aheadMs = 0 } = {}) {
  const emulator = await MarketEmulator.start();
  if (aheadMs > 0) emulator.clock.advance(aheadMs);
  onTestFinished(() => emulator.stop());
  const { baseUrl } = emulator;
  const { keyId, secret } = emulator.createCredential({ scopes: ['search', 'buy', 'webhook'] });
  const market = new MarketClient({ baseUrl, keyId, secret, clock: emulator.clock.now });
  onTestFinished(() => market.close());
  const folder = await mkdtemp(join(tmpdir(), 'shop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [port, file] = [await freePort(), join(folder, 'shop.db')];
  const hooks = ['--no-warnings', ...packages, '--import', movableClock(aheadMs)];
  const program = startProgram(
    [...hooks, 'examples/shop/shop.mjs'],
    {
      PORT: String(port),
      DATABASE: file,
      // It would choose PostgreSQL.
      DATABASE_URL: '',
      TZ: 'UTC',
      OPERATOR_PASSWORD: 'operator',
      ...shopSecrets,
      MARKET_BASE_URL: baseUrl,
      MARKET_KEY_ID: keyId,
      MARKET_SECRET: secret,
      MARKET_WEBHOOK_SECRET: 'whsec_of_the_shop',
    },
    node,
  );
  await program.printed(/^ready/m);
  const url = `http://127.0.0.1:${port}`;
  const ownPage = { origin: url };
  return {
    ...{ emulator, market, url },
    /** The buyer is at the page that asks for the payment. */
    async checkOut(domain: string): Promise<string> {
      emulator.admin.list({ domain, price_cents: 86_000 });
      const form = { method: 'POST', body: new URLSearchParams({ domain }), headers: ownPage };
      const response = await fetch(`${url}/checkout`, { ...form, redirect: 'manual' });
      return (response.headers.get('location') ?? '').replace('/checkout/', '');
    },
    async pay(payment: string): Promise<void> {
      const press = { method: 'POST', headers: ownPage };
      const response = await fetch(`${url}/checkout/${payment}`, press);
      expect([response.status, response.url]).toEqual([200, `${url}/sales/${payment}`]);
    },
    stateOf: (payment: string) => stateOf(url, headers, payment),
    async health() {
      const response = await fetch(`${url}/health`, { headers });
      return (await response.json()) as {
        events: { dead: number; running: number; waiting: number };
        orders: { attention: number };
      };
    },
    /** The listeners' attempts that failed, as the shop printed them. */
    failedAttempts: () => program.output().split('failed and will be retried').length - 1,
    passHour(): void {
      emulator.clock.advance('1 hour');
      program.child.kill('SIGUSR2');
    },
    /** What another program does with the shop's database. */
    sql(text: string): void {
      // The shop may be writing.
      const open = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)})`;
      const program = `const database = ${open};
        database.exec('pragma busy_timeout = 10000');
        database.exec(${JSON.stringify(text)})`;
      execFileSync(node ?? '', ['--no-warnings', '-e', program]);
    },
  };
}

/** What the shop tells the program that asks: placed, refused or open; `undefined` for a payment that it does not have. */
export async function stateOf(url: string, headers: Record<string, string>, payment: string) {
  const response = await fetch(`${url}/sales`, { headers });
  type Sale = Readonly<Record<'payment' | 'order_id' | 'pay_back', string | null>>;
  const sale = ((await response.json()) as Sale[]).find((each) => each.payment === payment);
  if (sale === undefined) return undefined;
  return sale.pay_back !== null ? 'refused' : sale.order_id !== null ? 'placed' : 'open';
}

/** Nothing is cut off or scrolls sideways. With SHOP_PICTURES set to a folder, the page is also kept to look at. */
export async function look(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    const folder = process.env.SHOP_PICTURES;
    if (folder === undefined) continue;
    await mkdir(folder, { recursive: true });
    await page.screenshot({
      path: `${folder}/${name}-${width}-${colorScheme}.png`,
      fullPage: true,
    });
  }
}
