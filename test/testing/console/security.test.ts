import { expect } from 'vitest';
import { serve } from '../../support/loopback.js';
import { browserIt, startWithMarket as start, untilConnected, useConsole } from './browser.js';

// A name of another site that leads to this machine, as after DNS rebinding.
const { open, show } = useConsole('--host-resolver-rules=MAP rebound.example 127.0.0.1');

/** A page of another origin; its port. */
async function startOtherOrigin(): Promise<string> {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>another origin</title>');
  });
  return new URL(url).port;
}

/** Another port is the same site; "localhost" is another site. */
for (const host of ['127.0.0.1', 'localhost', 'rebound.example']) {
  browserIt(`a page at ${host} with another port reads nothing and changes nothing`, async () => {
    const { emulator } = await start();
    const api = `${emulator.baseUrl}/_emulator/v1`;
    emulator.faults.next({ kind: 'emptyBody' });
    const page = await open();
    await page.goto(`http://${host}:${await startOtherOrigin()}/`);
    const attempt = (expression: string) =>
      page.evaluate<string>(`(async () => { ${expression} })().catch((error) => error.name)`);

    expect(await attempt(`return (await fetch('${api}/state')).text()`)).toBe('TypeError');
    const opaque = `const { type, status } = await fetch('${api}/state', { mode: 'no-cors' }); return type + status`;
    // Cross-Origin-Resource-Policy keeps it from the page, its length and all.
    expect(await attempt(opaque)).toBe('TypeError');
    const json = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }`;
    expect(await attempt(`await fetch('${api}/faults/clear', ${json})`)).toBe('TypeError');
    const plain = `{ method: 'POST', mode: 'no-cors', body: '{}' }`;
    expect(await attempt(`await fetch('${api}/faults/clear', ${plain})`)).toBe('TypeError');
    const loaded = (tag: string, property: string, url: string) =>
      attempt(`return await new Promise((resolve) => {
        const element = document.createElement('${tag}');
        element.onload = () => resolve('loaded');
        element.onerror = () => resolve('refused');
        element.${property} = '${url}';
        document.body.append(element);
      })`);
    const address = `${emulator.baseUrl}/_emulator`;
    expect(await loaded('script', 'src', `${address}/console.js`)).toBe('refused');
    expect(await loaded('img', 'src', `${address}/icon.svg`)).toBe('refused');
    const stream = `return await new Promise((resolve) => {
      const source = new EventSource('${api}/stream');
      source.onmessage = source.onopen = () => resolve('open');
      source.onerror = () => resolve('refused');
    })`;
    expect(await attempt(stream)).toBe('refused');
    expect(emulator.faults.list()).toHaveLength(1);
  });

  browserIt(`a form of a page at ${host} is refused`, async () => {
    const { emulator } = await start();
    emulator.faults.next({ kind: 'emptyBody' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const page = await open();
      await page.goto(`http://${host}:${await startOtherOrigin()}/`);
      const answered = page.waitForResponse((response) => response.url().endsWith('/faults/clear'));
      await page.evaluate(`(() => {
        const form = document.createElement('form');
        form.method = 'POST';
        form.enctype = '${type}';
        form.action = '${emulator.baseUrl}/_emulator/v1/faults/clear';
        document.body.append(form);
        form.submit();
      })()`);
      expect((await answered).status(), type).toBe(403);
    }
    expect(emulator.faults.list()).toHaveLength(1);
  });
}

browserIt('a page cannot show the console in a frame', async () => {
  const { emulator } = await start();
  const page = await open();
  await page.goto(`http://127.0.0.1:${await startOtherOrigin()}/`);
  const answered = page.waitForResponse((response) => response.url().endsWith('/_emulator/'));
  await page.evaluate(`(() => {
    const frame = document.createElement('iframe');
    frame.src = '${emulator.baseUrl}/_emulator/';
    document.body.append(frame);
  })()`);
  expect((await answered).status()).toBe(403);
});

browserIt('the console has no other name', async () => {
  const { emulator } = await start();
  const page = await open();
  const { port } = new URL(emulator.baseUrl);
  for (const path of ['/_emulator/', '/_emulator/console.js', '/_emulator/v1/state']) {
    const response = await page.goto(`http://rebound.example:${port}${path}`);
    expect(response?.status(), path).toBe(421);
  }
  expect((await page.goto(`http://localhost:${port}/_emulator/`))?.status()).toBe(200);
  await untilConnected(page);
});

browserIt('data is shown as text, wherever it comes from', async () => {
  const { emulator, market } = await start();
  const hostile = `<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>`;
  const page = await show(emulator);
  await untilConnected(page);
  emulator.admin.registerWebhook(`http://127.0.0.1:9/?${encodeURI(hostile)}`, 'whsec_1');
  await market.domains.search(hostile);
  const order = await market.orders.create(
    { domain: 'brew.example', expected_price: 250_000, external_payment_ref: hostile },
    { idempotencyKey: 'key-<b>1</b>', headers: { 'x-note': hostile } },
  );
  emulator.admin.emitEvent('partner.greeted', { data: { text: hostile } });
  emulator.admin.list({ domain: 'xn--bcher-kva.example', price_cents: 100, metadata: { hostile } });
  await emulator.idle();
  const [search, placed] = emulator.requests;
  const fragments = [
    ...[`#requests/${search!.requestId}`, `#requests/${placed!.requestId}`],
    ...[`#orders/${order.public_id}`, `#events/${emulator.events.at(-1)!.id}`],
  ];
  for (const fragment of fragments) {
    await page.goto(`${emulator.baseUrl}/_emulator/${fragment}`);
    await page.locator('.details').waitFor();
    if (!fragment.endsWith(search!.requestId)) {
      await page.locator('.details').getByText('onerror').first().waitFor();
    }
    expect(await page.locator('img, script:not([src]), .details b:text-is("1")').count()).toBe(0);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  }
});

browserIt('the page runs no script but its own', async () => {
  const { emulator } = await start();
  const page = await show(emulator);
  await untilConnected(page);
  const attempt = (expression: string) =>
    page.evaluate<string>(
      `(() => { try { ${expression}; return 'done'; } catch (error) { return error.name } })()`,
    );
  expect(await attempt(`document.body.innerHTML = '<img src=x onerror="window.hacked = 1">'`)).toBe(
    'TypeError',
  );
  expect(await attempt(`document.createElement('script').textContent = 'window.hacked = 1'`)).toBe(
    'TypeError',
  );
  expect(await attempt(`trustedTypes.createPolicy('any', {})`)).toBe('TypeError');
  const violation = await page
    .evaluate<string>(
      `new Promise((resolve) => {
    addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
    const element = document.createElement('button');
    element.setAttribute('onclick', 'window.hacked = 1');
    document.body.append(element);
    element.click();
  }).catch(String)`,
    )
    .catch(String);
  expect(violation).toMatch(/script|trusted/i);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
});
