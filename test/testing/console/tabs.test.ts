import { expect } from 'vitest';
import { fault, type MarketEmulator } from 'market-partner-sdk/testing';
import { signed } from '../independent-signer.js';
import { webhookReceivers } from '../webhook-receiver.js';
import {
  browserIt,
  openConsole,
  startWithMarket as start,
  untilConnected,
  useConsole,
} from './browser.js';

const { open, show } = useConsole();
const receiver = webhookReceivers();

browserIt('rows say which domain they are about, and repeated ones are folded', async () => {
  const { emulator, market } = await start();
  for (const domain of ['roast.example', 'latte.example', 'latte.example', 'latte.example']) {
    await market.domains.checkAvailability(domain);
  }
  const page = await show(emulator, '#requests');
  const list = page.getByRole('region', { name: 'Requests' });
  await list.getByRole('link', { name: /GET \/availability roast\.example/ }).waitFor();
  const latte = list.getByRole('link', { name: /GET \/availability latte\.example/ });
  expect(await latte.filter({ visible: true }).count()).toBe(1);
  await list.getByText('2 more like it').click();
  expect(await latte.filter({ visible: true }).count()).toBe(3);
});

browserIt('the search finds in every tab, and each tab says how much', async () => {
  const { emulator, market, place } = await start();
  await market.domains.checkAvailability('roast.example');
  await place('payment-77');
  const page = await show(emulator, '#requests');
  await untilConnected(page);
  await page.keyboard.press('/');
  await page.keyboard.type('BREW payment-77');
  const tabs = page.getByRole('navigation');
  await tabs.getByRole('link', { name: 'Requests 1' }).waitFor();
  const list = page.getByRole('region', { name: 'Requests' });
  expect(await list.getByRole('link').allInnerTexts()).toEqual([expect.stringContaining('201')]);
  await page.getByRole('searchbox').fill('roast');
  await list.getByRole('link', { name: /roast\.example/ }).waitFor();
  await tabs.getByRole('link', { name: 'Orders' }).click();
  await page.getByText('Nothing was found.').waitFor();
  await tabs.getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('link', { name: 'roast.example 1,910.00 USD' }).waitFor();
  expect(await page.getByRole('link', { name: /^latte/ }).count()).toBe(0);
});

browserIt('the response is beside the request, and one that was lost says so', async () => {
  const { emulator, place } = await start();
  emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  await place();
  const [lost] = emulator.requests;
  const page = await show(emulator, `#requests/${lost!.requestId}`);
  const response = page.getByRole('region', { name: 'Response' });
  await response.getByText('The service wrote it, and the client did not get it.').waitFor();
  expect(await response.innerText()).toContain('"status": "EXTERNALLY_PAID"');
  await response.getByText(/\d headers/).click();
  expect(await response.innerText()).toContain(lost!.requestId);
  const sent = page.getByRole('region', { name: 'Request', exact: true });
  expect(await sent.innerText()).toContain('"domain": "brew.example"');
});

browserIt('a request, its order and its events lead to each other', async () => {
  const { emulator, place } = await start();
  const order = await place();
  const page = await show(emulator, `#requests/${emulator.requests[0]!.requestId}`);
  const details = page.locator('.details');
  await details.getByRole('link', { name: order.public_id }).click();
  await details.getByRole('link', { name: /order\.recorded brew\.example/ }).click();
  await page.getByRole('heading', { name: 'order.recorded' }).waitFor();
  await details.getByRole('link', { name: order.public_id }).click();
  await details.getByRole('link', { name: /201 POST \/orders brew\.example/ }).click();
  await page.getByRole('heading', { name: 'POST /orders brew.example' }).waitFor();
});

browserIt(
  'shows what the emulator keeps: a sale of a thousand requests ago, and its requests',
  async () => {
    const { emulator, market } = await start();
    const order = await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
    const others = Array.from({ length: 900 }, (_, at) => `other-${at}.example`);
    for await (const { error } of market.domains.checkMany(others)) expect(error).toBeUndefined();
    const page = await show(emulator, '#requests');
    const rows = page.locator('.row.request:not(.heads)');
    await expect.poll(() => rows.count()).toBe(200);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => rows.count()).toBe(400);
    await page.getByText('901 requests').waitFor();
    await page.getByRole('searchbox').fill('brew.example');
    await page.getByText('1 of 901 requests').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('');
    await openConsole(page, emulator, `#orders/${order.public_id}`);
    await page.locator('aside, section').getByText('POST /orders').first().waitFor();
  },
);

browserIt('a request that has left the log is said to be gone', async () => {
  const { emulator } = await start();
  const page = await show(emulator, '#requests/req_none');
  await page.getByText('This request is no longer in the log.').waitFor();
});

browserIt('a wrong secret is explained in lines, not in one string', async () => {
  const { emulator, credential } = await start();
  const timestamp = Math.floor(Date.now() / 1000);
  const path = '/api/partner/v1/orders';
  const input = { method: 'GET', path, query: '', timestamp };
  const headers = signed({ ...credential, secret: 'msk_wrong' }, input);
  await fetch(emulator.baseUrl + path, { headers });
  const page = await show(emulator, `#requests/${emulator.requests[0]!.requestId}`);
  const lines = page.locator('.why p');
  await lines.first().waitFor();
  expect(await lines.allInnerTexts()).toEqual([
    `The secret is not that of ${credential.keyId}, or another string was signed.`,
    'If you signed the same six lines, the secret is wrong.',
  ]);
  const table = page.getByRole('region', { name: 'Canonical string' });
  await table.getByRole('row', { name: `path ${path}` }).waitFor();
  await table.getByRole('row', { name: /^bodySha256 [0-9a-f]{64}$/ }).waitFor();
});

browserIt('a delivery shows what was sent and what the receiver responded', async () => {
  const { emulator, place } = await start();
  const { url } = await receiver((response) => {
    response.statusCode = 401;
    response.end('{"error":"signature_mismatch"}');
  });
  const page = await show(emulator, '#events', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const form = page.getByRole('form', { name: 'Register a webhook' });
  await form.getByLabel('URL').fill(url);
  await form.getByLabel('Its secret').fill('whsec_1');
  await form.getByRole('button', { name: 'Register' }).click();
  await page.getByText(`Webhooks: ${url}`).waitFor();
  await place();
  await page.getByRole('link', { name: /order\.recorded/ }).click();
  await page.getByText('"error": "signature_mismatch"').waitFor();
  await page.getByText('the secret of the receiver is not the one that was registered').waitFor();
  await page.getByText('What was sent').click();
  const { body, signature } = emulator.deliveries[0]!;
  await page.getByText(body).waitFor();
  await page.locator('.timeline').getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toContain(`-H 'x-market-signature: ${signature}'`);
  expect(copied).toContain(`--data-raw '${body}'`);
});

browserIt('domains are looked up, repriced, taken off sale and listed again', async () => {
  const { emulator, market } = await start();
  const priceOf = async () => (await market.domains.checkAvailability('roast.example')).price_cents;
  const page = await show(emulator, '#domains');
  await page.getByRole('searchbox').fill('roast.example');
  await page.getByRole('link', { name: 'roast.example 1,910.00 USD' }).click();
  const price = page.getByLabel('Price in minor units');
  await price.fill('200000');
  await page.getByRole('button', { name: 'Reprice' }).click();
  await page.getByRole('link', { name: 'roast.example 2,000.00 USD' }).waitFor();
  expect(await priceOf()).toBe(200_000);
  await page.getByRole('button', { name: 'Delist' }).click();
  await page.getByText('roast.example is not listed').waitFor();
  expect(await priceOf()).toBeUndefined();
  await price.fill('300000');
  await page.getByRole('button', { name: 'List it' }).click();
  await page.getByRole('link', { name: 'roast.example 3,000.00 USD' }).waitFor();
  expect(await priceOf()).toBe(300_000);
});

browserIt('the five tests of every integration are a click each', async () => {
  const { emulator, place } = await start();
  const page = await show(emulator, '#faults');
  for (const name of [
    'the response to the next order is lost',
    'every open quote expires',
    'the next event comes twice',
    'the next event never comes',
    'the price of this domain rises',
  ]) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('status').filter({ hasText: 'Done: POST' }).waitFor();
    await page.getByTitle('Copy this call as curl').waitFor();
  }
  expect(emulator.faults.list().map(({ title, match }) => [title, match])).toEqual([
    ['resetAfterWork', 'POST /orders'],
    ['twice', 'all'],
    ['lost', 'all'],
  ]);
  const { now, offsetMs } = (await clockOf(emulator)) as { now: number; offsetMs: number };
  // The two clocks are read one after the other.
  expect([now > Date.now(), Math.round(offsetMs / 1_000)]).toEqual([true, 660]);
  await expect(place()).rejects.toMatchObject({ code: 'price_mismatch' });
});

browserIt('reset asks before it resets', async () => {
  const { emulator, place } = await start();
  await place();
  const page = await show(emulator, '#orders');
  const row = page.getByRole('link', { name: /EXTERNALLY_PAID/ });
  await row.waitFor();
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await page.getByRole('button', { name: 'Reset' }).click();
  expect(await row.count()).toBe(1);
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('No order yet.').waitFor();
  expect(questions).toEqual(Array(2).fill(expect.stringContaining('Credentials stay valid.')));
  await place('payment-1002');
  await row.waitFor();
});

browserIt('a sample order is a click away, with the credential that was chosen', async () => {
  const { emulator } = await start({ pathPrefix: '/gate' });
  const { keyId } = emulator.createCredential({ scopes: ['buy'] });
  const page = await show(emulator, '#start');
  await page.getByLabel('Credential').selectOption(keyId);
  await page.getByText(`MARKET_KEY_ID=${keyId}`).waitFor();
  await page.getByRole('button', { name: 'Place a sample order' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /^Placed ord_/ })
    .waitFor();
  expect(emulator.requests).toMatchObject([
    { status: 201, path: '/api/partner/v1/orders', headers: { 'x-market-key-id': keyId } },
  ]);
});

browserIt('moves stay where they are: refund is never where another move was', async () => {
  const { emulator, place } = await start();
  const order = await place();
  const page = await show(emulator, `#orders/${order.public_id}`);
  const places = async () =>
    Promise.all(
      ['Start transfer', 'Complete transfer', 'Refund'].map((name) =>
        page.getByRole('button', { name }).boundingBox(),
      ),
    );
  await page.getByRole('button', { name: 'Start transfer' }).waitFor();
  const before = await places();
  await page.getByRole('button', { name: 'Start transfer' }).click();
  await page.locator('.timeline').getByText('TRANSFER_IN_PROGRESS').waitFor();
  expect(await places()).toEqual(before);
});

browserIt('each list has heads above its columns', async () => {
  const { emulator, place } = await start();
  await place();
  const page = await open();
  const heads: Record<string, string[]> = {
    requests: ['Status', 'Endpoint', 'About', 'Result', 'Time'],
    orders: ['Domain', 'Status', 'Price', 'Payment reference', 'Order', 'Time'],
    events: ['Type', 'Domain', 'Order', 'Delivery', 'Attempts', 'Time'],
    domains: ['Domain', 'Price', 'State'],
  };
  for (const [tab, names] of Object.entries(heads)) {
    await openConsole(page, emulator, `#${tab}`);
    const row = page.locator('.list .row:not(.heads)').first();
    await row.waitFor();
    expect(await page.locator('.heads').locator('> *').allInnerTexts(), tab).toEqual(names);
    const edges = (of: string) =>
      page.evaluate(
        `[...document.querySelector('${of}').children].map((each) => each.getBoundingClientRect().x)`,
      );
    expect(await edges('.list .row:not(.heads)'), tab).toEqual(await edges('.heads'));
  }
});

browserIt('a filter by endpoint and status hides what polls read', async () => {
  const { emulator, market, place } = await start();
  await place();
  for (const filters of [{}, { limit: 5 }, {}]) await market.events.list(filters);
  await market.orders.get('ord_none').catch(() => undefined);
  const page = await show(emulator, '#requests');
  const list = page.getByRole('region', { name: 'Requests' });
  const rows = () => list.getByRole('link').allInnerTexts();
  await list
    .getByRole('link', { name: /GET \/events/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Hide successful reads' }).click();
  await page.getByText('2 of 5 requests').waitFor();
  expect((await rows()).map((row) => row.split('\n')[1])).toEqual([
    'GET /orders/{public_id}',
    'POST /orders',
  ]);
  await page.getByLabel('Status').selectOption('accepted');
  await page.getByText('1 of 5 requests').waitFor();
  await page.getByLabel('Endpoint').selectOption('GET /events');
  await page.getByText('Nothing was found.').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await list.getByRole('link', { name: /not_found/ }).click();
  await page.getByLabel('Status').selectOption('not_found');
  const chip = page.getByRole('button', { name: /not_found/ });
  expect(await chip.getAttribute('aria-pressed')).toBe('false');
  await page.getByLabel('Endpoint').selectOption('GET /orders/{public_id}');
  await page.locator('button[aria-pressed=true]').filter({ hasText: 'not_found' }).waitFor();
});

browserIt('exactly one row looks selected, also below the pointer', async () => {
  const { emulator, market } = await start();
  emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
  for (const domain of ['a.example', 'b.example']) await market.domains.checkAvailability(domain);
  const page = await show(emulator, '#requests');
  await page.getByRole('link', { name: /201 POST \/orders/ }).click();
  await page.getByRole('heading', { name: 'Attempts with this' }).waitFor();
  await page.getByRole('link', { name: /b\.example/ }).hover();
  const look = (rows: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('${rows}')].map((row) => getComputedStyle(row))
        .filter(({ boxShadow }) => boxShadow !== 'none' || '${rows}' !== '.row')
        .map(({ backgroundColor }) => backgroundColor)`,
    );
  const selected = await look('.row');
  expect(selected).toHaveLength(1);
  expect(await look('.row:hover')).not.toEqual(selected);
});

browserIt('what is folded opens for the one that is shown', async () => {
  const { emulator, market } = await start();
  for (let count = 0; count < 3; count += 1) await market.domains.checkAvailability('a.example');
  const page = await show(emulator, `#requests/${emulator.requests[0]!.requestId}`);
  await page.locator('.list .row[aria-current]').filter({ visible: true }).waitFor();
});

browserIt(
  'a search closes what it does not find, and counts the errors that it finds',
  async () => {
    const { emulator, market, place } = await start();
    await market.orders.get('ord_none').catch(() => undefined);
    await market.orders
      .create({ domain: 'roast.example', expected_price: 1 })
      .catch(() => undefined);
    const order = await place();
    const page = await show(emulator, `#orders/${order.public_id}`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    const search = page.getByRole('searchbox');
    await search.fill('brew');
    expect(await page.getByRole('heading', { name: 'Timeline' }).count()).toBe(1);
    await search.fill('roast');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe('#orders');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click();
    await page.getByText('1 error by code and endpoint').waitFor();
    await search.fill('');
    await page.getByText('2 errors by code and endpoint').waitFor();
  },
);

browserIt('a sold domain is marked, and leads to its order', async () => {
  const { emulator, place } = await start();
  const page = await show(emulator, '#domains');
  await page.getByRole('searchbox').fill('brew');
  await page.getByRole('link', { name: 'brew.example 2,500.00 USD' }).waitFor();
  const { public_id } = await place();
  await page.getByRole('link', { name: `brew.example 2,500.00 USD sold as ${public_id}` }).click();
  await page.locator('.details').getByRole('link', { name: public_id }).click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('link', { name: /^brew\.example 2,500\.00 USD$/ }).waitFor();
});

browserIt('says why a move is not possible, without a pointer too', async () => {
  const { emulator, place } = await start();
  const order = await place();
  emulator.admin.startTransfer(order.public_id);
  const page = await show(emulator, `#orders/${order.public_id}`);
  const reason = 'Not possible while the order is TRANSFER_IN_PROGRESS';
  expect(await page.getByRole('button', { name: 'Hold', exact: true }).getAttribute('title')).toBe(
    reason,
  );
  await page.getByText('Greyed out: not possible while').waitFor();
});

browserIt('a hosted checkout is paid on its page, or by a button', async () => {
  const { emulator, market } = await start();
  const page = await show(emulator, '#products');
  await page.getByText('No hosted checkout, brokerage case or tracking link yet.').waitFor();
  await market.checkout.createSession({
    domain: 'brew.example',
    return_url: `${new URL(emulator.baseUrl).origin}/_emulator/#start`,
  });
  await market.checkout.createSession({ domain: 'roast.example' });
  await page
    .getByRole('link', { name: /roast\.example open 1,910\.00 USD (7 d|6 d 23 h) cs_/ })
    .click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByRole('link', { name: /roast\.example paid/ }).waitFor();
  await page.locator('button[title="The checkout is paid"][aria-disabled="true"]').waitFor();
  await page.getByRole('link', { name: /brew\.example open/ }).click();
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open its page' }).click();
  await (await opened).getByRole('button', { name: 'Pay' }).click();
  await page.getByRole('link', { name: /brew\.example paid/ }).waitFor();
  await page.getByRole('button', { name: 'Settle' }).click();
  await page.getByText('Done: POST /_emulator/v1/settle').waitFor();
  expect(await market.orders.listPayouts().toArray()).toHaveLength(2);
  // That the buyer is sent back is no error.
  await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click();
  await page.getByRole('link', { name: /303 POST \/checkout/ }).waitFor();
  expect(await page.getByText('by code and endpoint').count()).toBe(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('link', { name: /^brew\.example .* sold as cs_/ }).click();
  await page.locator('.details').getByRole('link', { name: /^cs_/ }).click();
  await page.getByRole('link', { name: 'Open its page' }).waitFor();
});

browserIt('a brokerage case is closed, with a deal or without', async () => {
  const { emulator, market } = await start();
  const buyer = { tier: 'managed', buyer_email: 'ada@buyer.example' } as const;
  await market.brokerage.openCase({ ...buyer, domain: 'wanted.example' });
  await market.brokerage.openCase(buyer);
  const page = await show(emulator, '#products');
  await page.getByRole('link', { name: /wanted\.example OPEN ada@buyer\.example case_/ }).click();
  await page.getByLabel('Price in minor units').fill('420000');
  await page.getByRole('button', { name: 'Close with a deal' }).click();
  await page.getByRole('link', { name: /wanted\.example COMPLETED 4,200\.00 USD/ }).waitFor();
  await page.locator('.timeline').getByText('The deal was closed.').waitFor();
  await page.getByRole('link', { name: /no domain OPEN/ }).click();
  await page.getByRole('button', { name: 'Close without a deal' }).click();
  await page.getByRole('link', { name: /no domain CLOSED/ }).waitFor();
  expect(emulator.events.map(({ type }) => type)).toEqual(['brokerage.case_completed']);
});

browserIt('a tracking link is followed, and sells', async () => {
  const { emulator, market } = await start();
  const { url } = await market.referral.createLink({ type: 'domain', domain: 'latte.example' });
  const page = await show(emulator, '#products');
  await page.getByRole('link', { name: /latte\.example domain 0 clicks 0 sales/ }).click();
  await fetch(url!);
  await page.getByRole('link', { name: /latte\.example domain 1 click 0 sales/ }).waitFor();
  await page.getByRole('button', { name: 'Click' }).click();
  await page.getByRole('button', { name: 'Begin a checkout' }).click();
  await page.getByLabel('Price in minor units').fill('327000');
  await page.getByRole('button', { name: 'Sell' }).click();
  await page.getByRole('link', { name: /latte\.example domain 2 clicks 1 sale/ }).waitFor();
  const [sale] = await market.referral.listSales().toArray();
  expect(sale).toMatchObject({ domain: 'latte.example', amount_cents: 327_000 });
});

browserIt("a phone's header is one line, and its menu has the rest", async () => {
  const { emulator } = await start();
  const page = await show(emulator, '#requests', { viewport: { width: 390, height: 780 } });
  await untilConnected(page);
  const heightOf = async (part: string) => (await page.locator(part).boundingBox())!.height;
  expect(await heightOf('header')).toBeLessThan(56);
  expect(await heightOf('nav')).toBeLessThan(48);
  const jump = page.getByRole('button', { name: '+8 days' });
  expect(await jump.isVisible()).toBe(false);
  await page.getByTitle('Clock and reset').click();
  await jump.click();
  await page.getByText('Done: POST /_emulator/v1/clock/advance').waitFor();
  await page.getByRole('button', { name: 'Reset', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await jump.waitFor({ state: 'hidden' });
  await openConsole(page, emulator, '#start');
  const tab = page.getByRole('navigation').getByRole('link', { name: 'Start' });
  await expect
    .poll(async () => {
      const box = (await tab.boundingBox())!;
      return box.x >= 0 && box.x + box.width <= 390;
    })
    .toBe(true);
});

async function clockOf(emulator: MarketEmulator): Promise<unknown> {
  const response = await fetch(`${new URL(emulator.baseUrl).origin}/_emulator/v1/clock`);
  return response.json();
}
