/** `npm run shop` as a buyer and an operator see it, in Chromium, with a SIGKILL between order and delivery. */

import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.mjs';
import { keepBusy } from '../support/busy-senders.js';
import { startProgram } from '../support/program.js';
import { browserIt, useBrowser } from '../testing/console/browser.js';
import { look, node, packages, stateOf } from './run-shop.js';

const open = useBrowser();

async function startShop() {
  const [port, emulatorPort] = [await freePort(), await freePort()];
  const args = ['--no-warnings', ...packages, 'examples/shop/start.mjs'];
  const ports = { PORT: String(port), EMULATOR_PORT: String(emulatorPort) };
  const program = startProgram(args, { ...ports, DATABASE_URL: '' }, node);
  await program.printed(/^ready/m);
  const pids = () => [...program.output().matchAll(/^ready (\d+)/gm)].map(([, pid]) => Number(pid));
  // The program that starts the shop again is gone first.
  onTestFinished(() => pids().forEach(kill));
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return {
    ...{ program, pids },
    url: `http://127.0.0.1:${port}`,
    /** A move of the marketplace, as the console's buttons make it. */
    async move(path: string, body: object = {}) {
      const url = `http://127.0.0.1:${emulatorPort}/_emulator/v1/${path}`;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(await response.text().then((text) => [response.status, text])).toEqual([
        ...[200, expect.anything()],
      ]);
    },
    async orders() {
      const response = await fetch(`http://127.0.0.1:${emulatorPort}/_emulator/v1/orders`);
      return (await response.json()) as { public_id: string; domain: string }[];
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What the page shows of the steps that are done, once it shows this. */
async function untilDone(page: Page, steps: string[]): Promise<void> {
  await expect
    .poll(() => page.locator('li.done').allInnerTexts(), { timeout: 60_000 })
    .toEqual(steps);
}

describe.skipIf(node === undefined)('npm run shop', () => {
  browserIt(
    'sells, and shows the sale up to its settlement though the shop is killed',
    async () => {
      const shop = await startShop();
      const page = await open({ httpCredentials: { username: 'operator', password: 'operator' } });
      await page.goto(shop.url);
      await page.getByLabel('Words').fill('coffee');
      await page.getByRole('button', { name: 'Search' }).click();
      await look(page, 'search');
      await page
        .getByRole('listitem')
        .filter({ hasText: 'coffee.example' })
        .getByRole('button')
        .click();
      await page.getByText('Reserved for you').waitFor();
      await look(page, 'checkout');
      await page.getByRole('button', { name: 'Pay $860.00' }).click();
      await untilDone(page, ['Paid', 'Ordered']);

      const [order] = await shop.orders();
      expect(order).toMatchObject({ domain: 'coffee.example' });
      const id = order?.public_id ?? '';
      process.kill(shop.pids()[0]!, 'SIGKILL');
      // Its webhook finds nobody, or the next process.
      await shop.move(`orders/${id}/startTransfer`);
      await expect.poll(() => shop.pids().length, { timeout: 30_000 }).toBe(2);
      await untilDone(page, ['Paid', 'Ordered', 'On its way to you']);
      await shop.move(`orders/${id}/completeTransfer`);
      await untilDone(page, ['Paid', 'Ordered', 'On its way to you', 'Delivered']);
      await shop.move('settle');
      await untilDone(page, ['Paid', 'Ordered', 'On its way to you', 'Delivered', 'Settled']);
      await look(page, 'settled');

      await page.goto(`${shop.url}/operator`);
      await page.getByRole('button', { name: 'Compare now' }).click();
      await page.getByText('sales agree').waitFor();
      await look(page, 'operator');
      await keepBusy(['/webhooks/market', '/sales/none'].map((path) => `${shop.url}${path}`));
      shop.program.child.kill('SIGTERM');
      expect(await once(shop.program.child, 'close')).toEqual([0, null]);
    },
    120_000,
  );

  browserIt(
    'tells the buyer of a refusal, and the operator whom to pay back',
    async () => {
      const shop = await startShop();
      const page = await open({ httpCredentials: { username: 'operator', password: 'operator' } });
      await page.goto(`${shop.url}/?q=guitar`);
      await page
        .getByRole('listitem')
        .filter({ hasText: 'guitar.example' })
        .getByRole('button')
        .click();
      await shop.move('delist', { domain: 'guitar.example' });
      await page.getByRole('button', { name: 'Pay $1,200.00' }).click();
      await page.getByText('You will be paid back.').waitFor();
      await look(page, 'refused');

      await page.goto(`${shop.url}/operator`);
      await look(page, 'operator-debt');
      await page.getByRole('button', { name: 'I have paid it back' }).click();
      await expect
        .poll(() => page.getByRole('button').allInnerTexts(), { timeout: 10_000 })
        .toEqual(['Compare now']);
    },
    120_000,
  );

  it('shows the operator page to nobody without the password, nor to another site', async () => {
    const shop = await startShop();
    const authorization = `Basic ${Buffer.from('operator:operator').toString('base64')}`;
    const wrong = `Basic ${Buffer.from('operator:guess').toString('base64')}`;
    const ask = async (headers: Record<string, string>, method = 'GET', path = '') =>
      (await fetch(`${shop.url}/operator${path}`, { method, headers, redirect: 'manual' })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: wrong })).toBe(401);
    expect(await ask({ authorization })).toBe(200);
    const ownPage = { authorization, 'sec-fetch-site': 'same-origin' };
    expect(await ask(ownPage, 'POST', '/compare')).toBe(303);
    const fromElsewhere = { authorization, 'sec-fetch-site': 'cross-site' };
    expect(await ask(fromElsewhere, 'POST', '/compare')).toBe(403);
  }, 60_000);

  it('sells what is paid as it was quoted, once, and says which page there is not', async () => {
    const shop = await startShop();
    // As examples/shop/start.mjs has them.
    const headers = { authorization: 'Bearer token_of_the_shops_programs' };
    const post = (path: string, content: object, given: Record<string, string> = headers) => {
      const body = JSON.stringify(content);
      const hash = createHmac('sha256', 'secret_of_the_payment_provider').update(body);
      const signed = { 'payment-signature': hash.digest('hex'), ...given };
      return fetch(`${shop.url}${path}`, { method: 'POST', headers: signed, body });
    };
    expect((await fetch(`${shop.url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${shop.url}/sales/payment-0`)).status).toBe(404);
    const unlisted = { checkout: 'checkout-0', domain: 'not-listed.example' };
    expect((await post('/quotes', unlisted)).status).toBe(404);
    const quoted = await post('/quotes', { checkout: 'checkout-1', domain: 'brew.example' });
    const { price: amount, currency } = (await quoted.json()) as {
      price: number;
      currency: string;
    };
    const paid = { payment: 'payment-1', checkout: 'checkout-1', amount, currency };
    const forged = { 'payment-signature': '00'.repeat(32) };
    expect((await post('/payments', paid, forged)).status).toBe(401);
    for (const wrong of [{ payment: null }, { checkout: 7 }]) {
      expect((await post('/payments', { ...paid, ...wrong })).status).toBe(400);
    }
    const less = await post('/payments', { ...paid, payment: 'payment-2', amount: amount - 1 });
    expect(await less.json()).toEqual({ added: false });
    expect(await (await post('/payments', paid)).json()).toEqual({ added: true });
    // The payment provider repeats its webhook.
    expect(await (await post('/payments', paid)).json()).toEqual({ added: false });
    await expect
      .poll(() => stateOf(shop.url, headers, 'payment-1'), { timeout: 10_000 })
      .toBe('placed');
    expect(await stateOf(shop.url, headers, 'payment-2')).toBe('refused');
    expect(await shop.orders()).toHaveLength(1);
  }, 60_000);

  it('sells nothing to a page of another site, and shows its books to nobody', async () => {
    const shop = await startShop();
    const body = new URLSearchParams({ domain: 'brew.example' });
    const from = (headers: Record<string, string>, path = '/checkout') =>
      fetch(shop.url + path, { method: 'POST', headers, body, redirect: 'manual' });
    const own = await from({ origin: shop.url });
    expect(own.status).toBe(303);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      {},
    ]) {
      expect((await from(headers)).status).toBe(403);
      expect((await from(headers, own.headers.get('location')!)).status).toBe(403);
    }
    for (const path of ['/sales', '/health']) {
      expect((await fetch(shop.url + path)).status).toBe(401);
    }
    expect(await shop.orders()).toEqual([]);
  }, 60_000);

  it('writes what comes from outside as text, never as HTML', async () => {
    const shop = await startShop();
    const page = await (await fetch(`${shop.url}/?q=${encodeURIComponent('"><script>')}`)).text();
    expect(page).not.toContain('"><script>');
    expect(page).toContain('&#34;&#62;&#60;script&#62;');
  }, 60_000);
});

it('the shop loses no sale in four kills', { timeout: 180_000 }, async () => {
  if (node === undefined) return;
  const script = ['test/examples/shop-kills.mjs', '--kills', '4'];
  const { stdout } = await promisify(execFile)(node, [...packages, ...script]);
  expect(stdout).toMatch(/\d+ payments, 4 kills: nothing lost, nothing doubled/);
});

it('the shop has fewer than 460 lines of code', async () => {
  const files = (await readdir('examples/shop')).filter((name) => name !== 'start.mjs');
  const texts = await Promise.all(files.map((name) => readFile(`examples/shop/${name}`, 'utf8')));
  const code = texts.flatMap((text) =>
    text.split('\n').filter((line) => !/^\s*(\/\/.*|\/\*\*.*|\*.*)?$/.test(line)),
  );
  expect(code.length).toBeLessThan(460);
});
