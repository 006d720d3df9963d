/** The programs that a coding assistant copies from llms.txt, on a PostgreSQL. The page's test runs by itself. */

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { signWebhook } from 'market-partner-sdk/webhooks';
import { describe, expect, it, vi, type TestContext } from 'vitest';
import { pageAt } from '../docs/pages.js';
import { programsOf } from '../docs/programs.js';
import { freePort } from '../support/free-port.mjs';
import { startProgram } from '../support/program.js';
import {
  createDatabase,
  createMigratedDatabase,
  cronSecret,
  enginePackages,
  fileOf,
  startService,
  withoutPostgres,
  withoutTypes,
} from './start-shop.js';

const webhookSecret = 'whsec_of_the_test';
const stripeSecret = 'whsec_of_stripe';
const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 100 });

describe.skipIf(withoutPostgres !== undefined)(
  `the programs of llms.txt${withoutPostgres === undefined ? '' : `, ${withoutPostgres}`}`,
  () => {
    it('Stripe: sells each payment once, as it was quoted, and pays back the others', async (test) => {
      const { emulator, program, url } = await start(test, 'stripe-express-postgresql', {
        DATABASE_URL: await createDatabase(test),
        STRIPE_SECRET_KEY: 'sk_test_1',
        STRIPE_WEBHOOK_SECRET: stripeSecret,
      });
      const checkOut = async (domain: string) => {
        const body = JSON.stringify({ domain });
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${url}/checkout`, { method: 'POST', headers, body });
        return ((await response.json()) as { url: string }).url.replace(/^.*\//, '');
      };
      const deliver = async (type: string, object: object, secret = stripeSecret) => {
        const body = JSON.stringify({ type, data: { object } });
        const v1 = createHmac('sha256', secret).update(`1.${body}`).digest('hex');
        const headers = { 'content-type': 'application/json', 'stripe-signature': `t=1,v1=${v1}` };
        return (await fetch(`${url}/webhooks/stripe`, { method: 'POST', headers, body })).status;
      };
      const paid = (id: string, payment_intent: string, changed = {}) => ({
        ...{ id, payment_intent, payment_status: 'paid', amount_total: 86_000, currency: 'usd' },
        ...changed,
      });
      const completed = 'checkout.session.completed';

      const first = await checkOut('first.example');
      expect(program.output()).toContain('"currency":"usd","unit_amount":86000');
      const unpaid = paid(first, 'pi_1', { payment_status: 'unpaid' });
      expect(await deliver(completed, unpaid)).toBe(200);
      expect(await deliver(completed, paid(first, 'pi_1'), 'whsec_forged')).toBe(500);
      expect(await deliver('checkout.session.async_payment_succeeded', paid(first, 'pi_1'))).toBe(
        200,
      );
      expect(await deliver(completed, paid(first, 'pi_1'))).toBe(200);
      expect(await deliver('payment_intent.succeeded', { id: 'pi_1' })).toBe(200);
      const second = await checkOut('second.example');
      expect(await deliver(completed, paid(second, 'pi_2', { amount_total: 85_999 }))).toBe(200);
      expect(await deliver(completed, paid(second, 'pi_3', { currency: 'eur' }))).toBe(200);
      expect(await deliver(completed, paid('cs_of_another_product', 'pi_4'))).toBe(200);
      const third = await checkOut('third.example');
      emulator.admin.delist('third.example');
      expect(await deliver(completed, paid(third, 'pi_5'))).toBe(200);
      await until(() => expect(program.output()).toContain('paid back pi_5'));
      await until(() =>
        expect(emulator.orders).toMatchObject([
          { domain: 'first.example', external_payment_ref: 'pi_1' },
        ]),
      );

      // The webhook is registered at this program: the event of a refund arrives at once.
      emulator.admin.refund(emulator.orders[0]!.public_id);
      await until(() => expect(program.output()).toContain('paid back pi_1'));
      const paidBack = [...program.output().matchAll(/^paid back (\w+)$/gm)].map(([, key]) => key);
      expect(paidBack.sort()).toEqual(['pi_1', 'pi_2', 'pi_3', 'pi_5']);

      program.child.kill('SIGTERM');
      expect(await once(program.child, 'close')).toEqual([0, null]);
    });

    it('Next.js: a cron route places sales and handles events, and loading needs no variable', async (test) => {
      const { emulator, program, url } = await start(
        test,
        'nextjs-serverless',
        { DATABASE_URL: await createMigratedDatabase(test), CRON_SECRET: cronSecret },
        serveRoutes,
      );
      const cron = (authorization: string) =>
        fetch(`${url}/cron`, { headers: { authorization } }).then((response) => response.status);
      expect(await cron('Bearer undefined')).toBe(401);
      expect(await fetch(`${url}/payments`, { method: 'POST' }).then(({ ok }) => ok)).toBe(true);
      expect(await cron(`Bearer ${cronSecret}`)).toBe(200);
      const [order] = emulator.orders;
      expect(order).toMatchObject({ domain: 'first.example', external_payment_ref: 'pi_1' });
      expect(program.output()).toContain(`store ${order!.public_id} of pi_1`);

      emulator.admin.refund(order!.public_id);
      const event = emulator.events.at(-1)!;
      const body = JSON.stringify(event);
      const headers = { 'x-market-signature': signWebhook(body, webhookSecret) };
      const delivered = await fetch(`${url}/webhook`, { method: 'POST', headers, body });
      expect(delivered.status).toBe(200);
      expect(await cron(`Bearer ${cronSecret}`)).toBe(200);
      expect(program.output()).toContain(`pay back ${order!.public_id}`);
    });
  },
);

/** Next.js gives each route a path; and a payment's route, as the page describes it. */
const serveRoutes = `
  import { createServer } from 'node:http';
  import { buffer } from 'node:stream/consumers';
  const order = { domain: 'first.example', expected_price: 86_000, currency: 'USD' };
  const routes = {
    '/cron': GET,
    '/webhook': POST,
    '/payments': async () => Response.json(await openMarket().outbox.add({ key: 'pi_1', order })),
  };
  createServer(async (request, reply) => {
    const { method, url, headers } = request;
    const body = method === 'POST' ? await buffer(request) : undefined;
    const asked = new Request('http://shop.example' + url, { method, headers, body });
    const { status } = (await routes[url]?.(asked)) ?? { status: 404 };
    reply.writeHead(status).end();
  }).listen(3000, '127.0.0.1');
`;

/** A program of the page as a process, its URL and its port replaced by those of this run. */
async function start(
  test: TestContext,
  section: string,
  variables: Readonly<Record<string, string>>,
  others = '',
) {
  const found = programsOf(pageAt('llms.txt')).find(({ places }) =>
    places[1].endsWith(`#${section}`),
  );
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const source = `${found!.parts.map(({ code }) => code).join('\n')}${others}`
    .replace('https://shop.example/webhooks', `${url}/webhooks`)
    .replace('listen(3000, ', `listen(${port}, `);
  const code = await withoutTypes(source);
  const file = await fileOf(test, code, { stripe: 'test/examples/stripe-stand-in.mjs' });
  const emulator = await startService(test);
  const { keyId, secret } = emulator.createCredential();
  const program = startProgram(
    ['--no-warnings', '--import', './test/durable/support/engine-packages.mjs', file],
    {
      ...{ MARKET_BASE_URL: emulator.baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret },
      ...{ MARKET_WEBHOOK_SECRET: webhookSecret, NODE_PATH: enginePackages, ...variables },
    },
    process.execPath,
    test.onTestFinished,
  );
  await vi.waitFor(() => fetch(url), { timeout: 30_000, interval: 100 });
  return { emulator, program, url };
}
