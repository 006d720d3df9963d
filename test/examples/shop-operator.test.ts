/** The operator's page of the shop: what a person reads there, and what the buttons do. */

import { describe, expect, onTestFinished } from 'vitest';
import { browserIt, useBrowser } from '../testing/console/browser.js';
import { look, node, runShop } from './run-shop.js';

const open = useBrowser();

async function openOperator(options: Parameters<typeof runShop>[0] = {}) {
  const shop = await runShop(options);
  const page = await open({ httpCredentials: { username: 'operator', password: 'operator' } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  onTestFinished(() => expect(errors).toEqual([]));
  /** The text under a heading, read anew. */
  const under = async (heading: string) => {
    await page.goto(`${shop.url}/operator`);
    const text = await page.locator('main').innerText();
    return text
      .split(`${heading}\n`)[1]
      ?.split(/\n(?=Buyers to pay back|Dead letters|Books)/)[0]
      ?.trim();
  };
  const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
  return { shop, page, under, press };
}

describe.skipIf(node === undefined)("the operator's page", () => {
  browserIt(
    'a person finds the order of a sale whose key was used before',
    async () => {
      const { shop, page, under, press } = await openOperator();
      const payment = await shop.checkOut('coffee.example');
      const order = { domain: 'coffee.example', expected_price: 86_000, currency: 'USD' };
      const { public_id: id } = await shop.market.orders.create(order, { idempotencyKey: payment });
      await shop.pay(payment);
      await expect
        .poll(async () => (await shop.health()).orders.attention, { timeout: 20_000 })
        .toBe(1);

      const text = await under('Sales to decide');
      expect(text).toContain(`Key\n${payment}`);
      expect(text).toContain('key_conflict: The service knows this key with another order');
      expect(text).toContain(
        'The buyer paid $860.00, and nothing was paid back. An order may exist: do not pay back yet.',
      );
      expect(text).toContain(
        `Look for an order of coffee.example with the reference ${payment} at the marketplace, then say what you found.`,
      );
      await look(page, 'operator-decision');
      await press(`It is ${id}`);
      expect(await under('Sales to decide')).toBe('None.');
      await expect.poll(() => shop.stateOf(payment), { timeout: 10_000 }).toBe('placed');
      expect(await shop.market.orders.list().toArray()).toHaveLength(1);
    },
    60_000,
  );

  browserIt(
    'a person refuses a sale that has no order, and pays its buyer back',
    async () => {
      const { shop, page, under, press } = await openOperator();
      const payment = await shop.checkOut('coffee.example');
      shop.emulator.admin.list({ domain: 'tea.example', price_cents: 50_000 });
      const other = { domain: 'tea.example', expected_price: 50_000, currency: 'USD' };
      await shop.market.orders.create(other, { idempotencyKey: payment });
      await shop.pay(payment);
      await expect
        .poll(async () => (await shop.health()).orders.attention, { timeout: 20_000 })
        .toBe(1);
      await under('Sales to decide');
      await press('There is no order: pay back');
      expect(await under('Sales to decide')).toBe('None.');

      await expect.poll(() => under('Buyers to pay back'), { timeout: 10_000 }).toContain(payment);
      expect(await under('Buyers to pay back')).toContain(
        'The buyer paid $860.00, and nothing was paid back.',
      );
      await look(page, 'operator-debt');
      await press('I have paid it back');
      expect(await under('Buyers to pay back')).toBe('None.');
      await page.goto(`${shop.url}/sales/${payment}`);
      await page.getByText('You were paid back.').waitFor();
    },
    60_000,
  );

  browserIt(
    'what is paid back is what the buyer paid, though the order cost less',
    async () => {
      const { shop, under } = await openOperator();
      const payment = await shop.checkOut('coffee.example');
      shop.emulator.admin.reprice('coffee.example', 80_000);
      shop.emulator.clock.advance('15 minutes');
      await shop.pay(payment);
      await expect.poll(() => shop.stateOf(payment), { timeout: 20_000 }).toBe('placed');
      const [order] = await shop.market.orders.list().toArray();
      expect(order).toMatchObject({ sale_price_cents: 80_000 });
      shop.emulator.admin.refund(order?.public_id ?? '');
      await expect
        .poll(() => under('Buyers to pay back'), { timeout: 20_000 })
        .toContain('The buyer paid $860.00');
      expect(await under('Buyers to pay back')).toContain(
        `The order ${order?.public_id ?? ''} was taken back.`,
      );
    },
    60_000,
  );

  browserIt(
    'a person has a dead letter handled again, once its cause is gone',
    async () => {
      const { shop, page, under, press } = await openOperator();
      const payment = await shop.checkOut('coffee.example');
      await shop.pay(payment);
      await expect.poll(() => shop.stateOf(payment), { timeout: 20_000 }).toBe('placed');
      const [order] = await shop.market.orders.list().toArray();
      const id = order?.public_id ?? '';
      shop.sql(
        `create trigger broken before update on progress begin select raise(abort, 'The disk is full.'); end`,
      );
      shop.emulator.admin.startTransfer(id);
      // Other orders' events succeed: this one fails for a cause of its own, and its attempts count.
      const events = async () => (await shop.health()).events;
      await expect.poll(() => shop.failedAttempts(), { timeout: 20_000 }).toBe(1);
      for (let hours = 1; hours <= 14 && (await events()).dead === 0; hours += 1) {
        const domain = `other-${hours}.example`;
        shop.emulator.admin.list({ domain, price_cents: 50_000 });
        await shop.market.orders.create({ domain, expected_price: 50_000 });
        await shop.emulator.idle();
        const isHandled = async () => {
          const { waiting, running } = await events();
          return waiting === 1 && running === 0;
        };
        await expect.poll(isHandled, { timeout: 20_000 }).toBe(true);
        shop.passHour();
        // An hour that passes during an attempt would end its lease, as if its process had ended.
        const hasFailed = async () => {
          const { dead, running } = await events();
          return dead === 1 || (shop.failedAttempts() > hours && running === 0);
        };
        await expect.poll(hasFailed, { timeout: 20_000 }).toBe(true);
      }
      expect((await events()).dead).toBe(1);

      const text = await under('Dead letters');
      expect(text).toContain(`Key\n${payment}`);
      expect(text).toContain('Event\norder.transfer_started evt_');
      expect(text).toContain('12 attempts failed: Error: The disk is full.');
      expect(text).toContain(
        `The order ${id} is TRANSFER_IN_PROGRESS. Nothing is to be paid back.`,
      );
      expect(text).toContain(
        "Remove the cause, then handle it again. The order's later events wait for it.",
      );
      await look(page, 'operator-dead-letter');
      await page.goto(`${shop.url}/sales/${payment}`);
      expect(await page.locator('li.done').allInnerTexts()).toEqual(['Paid', 'Ordered']);

      shop.sql('drop trigger broken');
      await under('Dead letters');
      await press('Handle again');
      await expect.poll(() => under('Dead letters'), { timeout: 10_000 }).toBe('None.');
      await page.goto(`${shop.url}/sales/${payment}`);
      await expect
        .poll(() => page.locator('li.done').allInnerTexts(), { timeout: 20_000 })
        .toEqual(['Paid', 'Ordered', 'On its way to you']);
    },
    90_000,
  );

  browserIt(
    'the books are compared at four o’clock, by whatever time the shop was started',
    async () => {
      const dayMs = 86_400_000;
      const sinceFour = (Date.now() - 4 * 3_600_000) % dayMs;
      const { under } = await openOperator({ aheadMs: dayMs - sinceFour - 8_000 });
      expect(await under('Books')).not.toContain('sales agree');
      await expect
        .poll(() => under('Books'), { timeout: 20_000 })
        .toMatch(/0 of 0 sales agree \(.*T04:00:0/);
    },
    60_000,
  );
});
