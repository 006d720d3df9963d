/** The console in this machine's Chromium. Without one its tests are skipped; with CI set they fail. */

import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';

const executablePath = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

if (executablePath === undefined && process.env.CI === 'true') {
  throw new Error('CI must test the console; there is no Chromium, and CHROMIUM_PATH names none.');
}

/** Without these Chromium calls home. */
const quiet = [
  ...['--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** A test that needs a browser. */
export const browserIt = it.skipIf(executablePath === undefined);

/** A browser for the tests of a file; `open` gives each test a profile of its own. */
export function useBrowser(...args: string[]) {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (executablePath === undefined) return;
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', ...quiet, ...args],
    });
  });
  afterAll(() => browser?.close());

  return async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser!.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    return page;
  };
}

/** An emulator with a client of its own, on the real clock. */
export async function startWithMarket(options: EmulatorOptions = {}) {
  const emulator = await MarketEmulator.start({ control: true, ...options });
  const credential = emulator.createCredential();
  const { keyId, secret } = credential;
  const market = new MarketClient({
    baseUrl: emulator.baseUrl,
    keyId,
    secret,
    clock: emulator.clock.now,
    random: () => 0,
  });
  onTestFinished(async () => {
    await market.close();
    await emulator.stop();
  });
  const place = (idempotencyKey = 'payment-1001') =>
    market.orders.create(
      { domain: 'brew.example', expected_price: 250_000, currency: 'USD' },
      { idempotencyKey },
    );
  return { emulator, market, credential, place };
}

/** Opens the console of an emulator; the test fails if the page reports an error of its own. */
export async function openConsole(page: Page, emulator: MarketEmulator, tab = ''): Promise<void> {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  onTestFinished(() => expect(errors).toEqual([]));
  await page.goto(`${new URL(emulator.baseUrl).origin}/_emulator/${tab}`);
}

/** Waits until the page follows the emulator. */
export function untilConnected(page: Page): Promise<void> {
  return page.locator('header .connected').waitFor();
}

/** The text of the page as a reader sees it, once it holds this. */
export async function textWith(page: Page, part: string): Promise<string> {
  await page.getByText(part).first().waitFor();
  return page.locator('body').innerText();
}
