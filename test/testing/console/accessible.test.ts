import { expect } from 'vitest';
import { fault } from 'market-partner-sdk/testing';
import { browserIt, openConsole, startWithMarket, untilConnected, useConsole } from './browser.js';

const { open, show } = useConsole();

async function startBusy() {
  const { emulator, market, place } = await startWithMarket();
  emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
  emulator.faults.on('GET /payouts', fault.internalError());
  await market.orders.quote({ domain: 'brew.example' });
  const order = await place();
  const { session_id = '' } = await market.checkout.createSession({ domain: 'roast.example' });
  const buyer_email = 'ada@buyer.example';
  const { case_id } = await market.brokerage.openCase({ tier: 'managed', buyer_email });
  const { link_id = '' } = await market.referral.createLink({ type: 'generic' });
  const products = [session_id, case_id, link_id].map((id) => `products/${id}`);
  await market.orders.get('ord_none').catch(() => undefined);
  return { emulator, order, products };
}

browserIt('can be used by the keyboard alone', async () => {
  const { emulator, order } = await startBusy();
  const page = await show(emulator);
  await untilConnected(page);
  const focused = () =>
    page.evaluate<string>('document.activeElement.innerText.replace(/\\s+/g, " ").trim()');
  const tabTo = async (text: string) => {
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()).startsWith(text)) return;
    }
    throw new Error(`the keyboard does not reach ${text}; it is at ${await focused()}`);
  };
  await tabTo('Orders');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
    'solid',
  );
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /EXTERNALLY_PAID/ }).waitFor();
  await tabTo('brew.example');
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('brew.example'); // the heading of the details
  await tabTo('Start transfer');
  await page.keyboard.press('Enter');
  await page
    .getByText(`Done: POST /_emulator/v1/orders/${order.public_id}/startTransfer`)
    .waitFor();
  expect(await focused()).toBe('Start transfer'); // though it is not possible again
  await page.keyboard.press('Escape');
  await expect.poll(focused).toContain(order.public_id); // the row again
  await page.evaluate("location.hash = '#requests/req_gone'");
  await expect.poll(focused).toBe('This request is no longer in the log.'); // once that is read
});

browserIt('moves between the rows by the arrow keys', async () => {
  const { emulator } = await startBusy();
  const page = await show(emulator);
  const rows = page.getByRole('region', { name: 'Requests' }).getByRole('link');
  await rows.nth(2).waitFor();
  await rows.first().focus();
  const isFocused = async (at: number) =>
    (await rows.nth(at).getAttribute('href')) ===
    (await page.evaluate('document.activeElement.getAttribute("href")'));
  await page.keyboard.press('ArrowDown');
  expect(await isFocused(1)).toBe(true);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await isFocused(0)).toBe(true);
});

browserIt('names every control, and scrolls in no direction on a phone', async () => {
  const { emulator, order, products } = await startBusy();
  const page = await open({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  const [request] = emulator.requests;
  const fragments = [
    ...['#start', '#requests', '#orders', '#events', '#domains', '#products', '#faults'],
    `#requests/${request!.requestId}`,
    `#orders/${order.public_id}`,
    `#events/${emulator.events[0]!.id}`,
    '#domains/roast.example',
    ...products.map((fragment) => `#${fragment}`),
  ];
  for (const fragment of fragments) {
    await openConsole(page, emulator, fragment);
    await untilConnected(page);
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow, fragment).toBe(0);
    const nameless = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a, button, input, select, svg, section, [tabindex="0"]')]
        .filter((each) => each.checkVisibility() && ![each.ariaLabel, each.innerText, each.labels?.[0]?.innerText]
          .some((text) => text?.trim()))
        .map((each) => each.outerHTML)`,
    );
    expect(nameless, fragment).toEqual([]);
    // Who controls a page by voice says what stands on a button (WCAG 2.5.3).
    const renamed = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a, button')]
        .filter((each) => each.ariaLabel && !each.ariaLabel.includes(each.innerText))
        .map((each) => each.outerHTML)`,
    );
    expect(renamed, fragment).toEqual([]);
  }
});

browserIt('has readable colors, light and dark', async () => {
  const { emulator, order, products } = await startBusy();
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open({ colorScheme });
    const refused = emulator.requests.find(({ status }) => status === 404)!;
    const details = [`requests/${refused.requestId}`, `orders/${order.public_id}`, ...products];
    const tabs = ['start', 'requests', 'orders', 'events', 'domains', 'products', 'faults'];
    for (const tab of [...tabs, ...details]) {
      await openConsole(page, emulator, `#${tab}`);
      await untilConnected(page);
      const poor = await page.evaluate<string[]>(contrastBelow(4.5));
      expect(poor, `${colorScheme} ${tab}`).toEqual([]);
    }
  }
});

/** An expression for the texts whose contrast with what is behind them is too low (WCAG 2.1). */
function contrastBelow(least: number): string {
  return `(() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => {
      const [r, g, b] = channels(color).map((each) => each / 255)
        .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
      for (let each = element; each; each = each.parentElement) {
        const color = getComputedStyle(each).backgroundColor;
        if (channels(color)[3] !== 0) return color;
      }
      return getComputedStyle(document.documentElement).backgroundColor;
    };
    return [...document.querySelectorAll('body *')]
      .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((each) => {
        const [a, b] = [getComputedStyle(each).color, ground(each)].map(luminance);
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        return { text: each.innerText, contrast };
      })
      .filter(({ contrast }) => contrast < ${least})
      .map(({ text, contrast }) => text + ' ' + contrast.toFixed(2));
  })()`;
}
