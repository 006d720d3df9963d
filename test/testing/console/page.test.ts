import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { signed } from '../independent-signer.js';
import { webhookReceivers } from '../webhook-receiver.js';
import {
  browserIt,
  openConsole,
  startWithMarket as start,
  textWith,
  untilConnected,
  useConsole,
} from './browser.js';

const { open, show } = useConsole();
const receiver = webhookReceivers();

browserIt('holds the variables, and asks for the secret only on a click', async () => {
  const { emulator, credential } = await start();
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  await openConsole(page, emulator);
  expect(await textWith(page, 'MARKET_BASE_URL')).toContain(`MARKET_KEY_ID=${credential.keyId}`);
  expect(await page.content()).not.toContain(credential.secret);
  expect(paths.filter((path) => path.endsWith('revealSecret'))).toEqual([]);

  await page.getByRole('button', { name: 'Copy the variables' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `MARKET_BASE_URL=${emulator.baseUrl}\nMARKET_KEY_ID=${credential.keyId}\nMARKET_SECRET=${credential.secret}\nMARKET_WEBHOOK_SECRET=whsec_of_this_machine`,
  );
  await page.getByRole('button', { name: 'Show the secrets' }).click();
  await page.getByText(credential.secret).waitFor();

  emulator.admin.registerWebhook('http://127.0.0.1:9/', 'whsec_of_mine');
  await page.getByRole('button', { name: 'Copy the variables' }).click();
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'))
    .toContain('MARKET_WEBHOOK_SECRET=whsec_of_mine');
});

browserIt('has a line that places an order, which appears and can be settled', async () => {
  const { emulator } = await start();
  const page = await show(emulator);
  const line = await page.getByText('npx market-partner-sdk').innerText();
  const [npx, name, ...args] = line.split(' ');
  expect([npx, name]).toEqual(['npx', 'market-partner-sdk']);
  const command = fileURLToPath(new URL('../../../dist/bin.cjs', import.meta.url));
  await promisify(execFile)(process.execPath, [command, ...args]);

  // The first screen gives way to the requests as they come.
  await page.getByRole('link', { name: /201 POST \/orders .* accepted/ }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('link', { name: /EXTERNALLY_PAID/ }).click();
  await page.getByRole('button', { name: 'Start transfer' }).click();
  await page.getByRole('button', { name: 'Complete transfer' }).click();
  await page.getByRole('button', { name: 'Settle', exact: true }).click();
  await page.getByRole('link', { name: /SETTLED/ }).waitFor();
  const timeline = await page.locator('.timeline').innerText();
  expect(timeline.match(/order\.\w+/g)).toEqual([
    'order.recorded',
    'order.transfer_started',
    'order.transfer_completed',
    'order.settled',
  ]);
  expect(await page.getByRole('button', { name: 'Hold', exact: true }).isDisabled()).toBe(true);
});

browserIt('arms a fault, and joins the attempts of the call that it hits', async () => {
  const { emulator, place } = await start();
  const page = await show(emulator, '#faults');
  const form = page.getByRole('form', { name: 'Calls' });
  await form.getByLabel('Which').selectOption('POST /orders');
  await form.getByLabel('What happens').selectOption('resetAfterWork');
  expect(await form.getByLabel('Value').count()).toBe(0);
  await form.getByRole('button', { name: 'Arm' }).click();
  await page.getByText('POST /orders: the service acts, and the response is lost (once)').waitFor();

  await place();
  await page.getByText('No fault is armed.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click();
  const title = '2 attempts with the Idempotency-Key payment-1001';
  const group = page.getByRole('listitem').filter({ hasText: title });
  const rows = await group.getByRole('link').allInnerTexts();
  expect(rows.map((row) => row.split('\n').slice(0, 4))).toEqual([
    ['reset', 'POST /orders', 'brew.example', 'connection reset resetAfterWork'],
    ['201', 'POST /orders', 'brew.example', 'accepted'],
  ]);
  await page.getByRole('button', { name: 'connection reset' }).waitFor();
});

browserIt('disarms a fault', async () => {
  const { emulator } = await start();
  emulator.faults.deliveries.next('twice');
  const page = await show(emulator, '#faults');
  await page.getByRole('button', { name: 'Disarm: each event comes twice' }).click();
  await page.getByText('No fault is armed.').waitFor();
  expect(emulator.faults.list()).toEqual([]);
});

browserIt('shows deliveries and what waits, and sends an event again', async () => {
  const { emulator, place } = await start();
  const { url, received } = await receiver((response, count) => {
    response.statusCode = count === 1 ? 500 : 200;
    response.end();
  });
  emulator.admin.registerWebhook(url, 'whsec_1');
  const page = await show(emulator, '#events');
  await place();
  await page
    .getByRole('link', { name: /order\.recorded brew\.example ord_\w+ waiting 1 attempt/ })
    .click();
  expect(await textWith(page, 'attempt 2 is due in')).toContain('status 500');
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('link', { name: /order\.recorded .* waiting 2 attempts/ }).waitFor();
  await page.getByRole('button', { name: 'Send twice' }).click();
  await page.getByRole('link', { name: /order\.recorded .* waiting 4 attempts/ }).waitFor();
  await page.getByRole('button', { name: '+1 min', exact: true }).click();
  await page.getByRole('link', { name: /order\.recorded .* delivered 5 attempts/ }).waitFor();
  expect(received).toHaveLength(5);
  expect(await page.locator('pre').last().innerText()).toContain('"domain": "brew.example"');
});

browserIt('counts a quote down by the clock of the emulator', async () => {
  const { emulator, market } = await start();
  await market.orders.quote({ domain: 'brew.example' });
  const page = await show(emulator, '#orders');
  await page.getByRole('row', { name: /brew\.example 2,500\.00 USD (10|9) min/ }).waitFor();
  await page.getByRole('button', { name: '+11 min' }).click();
  await page.getByRole('row', { name: /brew\.example 2,500\.00 USD expired/ }).waitFor();
});

browserIt('marks the line that was signed wrongly, and says why', async () => {
  const { emulator, credential } = await start();
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signed(credential, { method: 'GET', path: '/orders', query: '', timestamp });
  await fetch(`${emulator.baseUrl}/api/partner/v1/orders`, { headers });
  const page = await show(emulator);
  await page.getByRole('link', { name: /401 GET \/orders invalid_signature/ }).click();
  const row = page.getByRole('row', { name: 'path differs /api/partner/v1/orders /orders' });
  await row.waitFor();
  expect(await page.locator('tr.differs').count()).toBe(1);
  expect(await textWith(page, 'Why')).toContain('It must be the full path on the wire');
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
});

browserIt('lists the requests of one error', async () => {
  const { emulator, market, place } = await start();
  await market.orders.get('ord_none').catch(() => undefined);
  await place();
  const page = await show(emulator);
  const list = page.getByRole('region', { name: 'Requests' });
  await page.getByRole('button', { name: 'not_found' }).click();
  await list.getByRole('link', { name: /POST \/orders/ }).waitFor({ state: 'detached' });
  expect(await list.getByRole('link').count()).toBe(1);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await list.getByRole('link', { name: /POST \/orders/ }).waitFor();
});

browserIt('asks for the control token, and keeps it while the tab is open', async () => {
  const { emulator, place } = await start({ controlToken: 'a-long-token' });
  const page = await show(emulator);
  for (const token of ['a-wrong-token', 'a-long-token']) {
    await page.getByLabel('Control token').fill(token);
    await page.getByRole('button', { name: 'Open the console' }).click();
    if (token === 'a-wrong-token') await page.getByRole('alert').waitFor();
  }
  expect(await textWith(page, 'orders place')).toContain('--control-token TOKEN');
  await page.reload();
  await untilConnected(page);
  await place();
  await page.getByRole('link', { name: /POST \/orders/ }).waitFor();
});

browserIt('finds the emulator again after a restart', async () => {
  const { emulator } = await start();
  const port = Number(new URL(emulator.baseUrl).port);
  const page = await show(emulator);
  await untilConnected(page);
  await emulator.stop();
  await page.locator('header .lost').waitFor();
  const next = await start({ port });
  await untilConnected(page);
  await next.place();
  await page.getByRole('link', { name: /POST \/orders/ }).waitFor();
});
