/** This machine's Chromium. Without one the tests that need it are skipped; with CI set they fail. */

import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, it, onTestFinished } from 'vitest';

const executablePath = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

if (executablePath === undefined && process.env.CI === 'true') {
  throw new Error('CI must test pages; there is no Chromium, and CHROMIUM_PATH names none.');
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
