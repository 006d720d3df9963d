/** The console in a browser. */

import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { useBrowser } from '../../support/browser.js';

export { browserIt, useBrowser } from '../../support/browser.js';

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

/** A browser for the tests of a file; `show` opens the console of an emulator in a profile of its own. */
export function useConsole(...args: string[]) {
  const open = useBrowser(...args);
  const show = async (emulator: MarketEmulator, tab = '', options: BrowserContextOptions = {}) => {
    const page = await open(options);
    await openConsole(page, emulator, tab);
    return page;
  };
  return { open, show };
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
