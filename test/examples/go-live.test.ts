/** The programs that a partner copies, as processes: they are killed in the middle of an order, and sell on. */

import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { MarketClient, type SaleInBooks } from 'market-partner-sdk';
import type { MarketEmulator } from 'market-partner-sdk/testing';
import { fault } from 'market-partner-sdk/testing';
import { describe, expect, it, vi, type TestContext } from 'vitest';
import { pageAt } from '../docs/pages.js';
import { programsOf } from '../docs/programs.js';
import { findNodeWithSqlite } from '../durable/support/find-sqlite.js';
import { pg } from '../durable/support/pg-boss-under-test.js';
import { keepBusy } from '../support/busy-senders.js';
import { startProgram } from '../support/program.js';
import {
  authorization,
  createDatabase,
  cronSecret,
  enginePackages,
  fileOf,
  inTypeScript,
  onMysql,
  openMysql,
  onNextjs,
  onPostgres,
  onSqlite,
  startService,
  withoutMysql,
  withoutPostgres,
  withoutSqlite,
  type OnEngine,
  type Sale,
  type Shop,
  type StartShop,
} from './start-shop.js';

/** The price for a checkout, as what its payment states. */
async function quote(shop: Shop, checkout: string, domain: string) {
  const quoted = await shop.post('/quotes', { checkout, domain });
  expect(quoted.status).toBe(200);
  const { price, currency } = (await quoted.json()) as { price: number; currency: string };
  return { checkout, amount: price, currency };
}

async function pay(shop: Shop, payment: string, domain: string): Promise<void> {
  const body = { payment, ...(await quote(shop, `checkout-of-${payment}`, domain)) };
  const accepted = await shop.post('/payments', body);
  expect({ status: accepted.status, body: await accepted.json() }).toEqual({
    status: 200,
    body: { added: true },
  });
  // The payment provider repeats its webhook.
  expect(await (await shop.post('/payments', body)).json()).toEqual({ added: false });
}

/** What the shop stored of its sales, once it is this. */
async function untilSales(shop: Shop, wanted: Record<string, Partial<Sale>>): Promise<void> {
  await vi.waitFor(
    async () => {
      const sales = Object.fromEntries((await shop.sales()).map((sale) => [sale.payment, sale]));
      expect(sales).toMatchObject(wanted);
    },
    { timeout: 60_000, interval: 200 },
  );
}

async function untilOrdersSent(emulator: MarketEmulator, count: number): Promise<void> {
  await vi.waitFor(
    () => {
      const sent = emulator.requests.filter(({ endpoint }) => endpoint === 'POST /orders');
      expect(sent).toHaveLength(count);
    },
    { timeout: 60_000 },
  );
}

const anOrder = expect.stringMatching(/^ord_/) as unknown as string;

/** Sells; is killed while an order is at the service; sells on, in a second process or in the next. */
async function sellThroughKill(
  test: TestContext,
  startShop: StartShop,
  processes: 1 | 2,
): Promise<void> {
  const emulator = await startService(test);
  const shops = await Promise.all(Array.from({ length: processes }, () => startShop(emulator)));
  const killed = shops[0]!;

  await pay(killed, 'payment-1', 'first.example');
  await untilSales(killed, { 'payment-1': { order_id: anOrder, pay_back: null } });

  // The same payment for another domain.
  const other = { payment: 'payment-1', ...(await quote(killed, 'other', 'fourth.example')) };
  expect((await killed.post('/payments', other)).status).toBe(409);

  // The service records the order and its response never comes: the process is killed meanwhile.
  emulator.faults.on('POST /orders', fault.latency(Infinity), { times: 1 });
  await pay(killed, 'payment-2', 'second.example');
  await untilOrdersSent(emulator, 2);
  killed.program.child.kill('SIGKILL');
  const shop = shops[1] ?? (await startShop(emulator));

  // A domain that somebody else has bought by now.
  const third = await quote(shop, 'checkout-3', 'third.example');
  emulator.admin.delist('third.example');
  await shop.post('/payments', { payment: 'payment-3', ...third });
  await untilSales(shop, {
    'payment-1': { order_id: anOrder, pay_back: null },
    'payment-2': { order_id: anOrder, pay_back: null },
    'payment-3': { order_id: null, pay_back: 'not_listed' },
  });

  for (const { order_id: id } of await shop.sales()) {
    if (id === null) continue;
    emulator.admin.startTransfer(id);
    emulator.admin.completeTransfer(id);
  }
  emulator.admin.settle();
  await untilSales(shop, {
    'payment-1': { event: 'order.settled' },
    'payment-2': { event: 'order.settled' },
  });
  const recorded = emulator.events.filter(({ type }) => type === 'order.recorded');
  expect(recorded).toHaveLength(2);

  const health = (await (await shop.get('/health')).json()) as Record<string, object>;
  expect(health).toMatchObject({
    orders: { waiting: 0, placing: 0, attention: 0, unreported: 0, paused: null },
    events: { dead: 0, lastPollError: null },
  });
  await refusesWhatIsNotPaid(shop, ['/sales', '/health', '/']);
  expect((await shop.get('/')).status).toBe(404);

  await keepBusy(
    ['/webhooks/market', '/quotes'].map((path) => `http://127.0.0.1:${shop.port}${path}`),
    test.onTestFinished,
  );
  shop.program.child.kill('SIGTERM');
  expect(await once(shop.program.child, 'close')).toEqual([0, null]);
}

/** What is not signed, or not as quoted, is ordered by nobody; what is private needs the token. */
async function refusesWhatIsNotPaid(shop: Shop, closed = ['/sales']): Promise<void> {
  const unlisted = { checkout: 'unlisted', domain: 'not-listed.example' };
  expect((await shop.post('/quotes', unlisted)).status).toBe(404);
  expect((await shop.post('/quotes', { checkout: 'x', domain: 7 })).status).toBe(400);
  expect((await shop.post('/quotes', unlisted, {})).status).toBe(401);
  const quoted = await quote(shop, 'checkout-x', 'fourth.example');
  const paid = { payment: 'x', ...quoted };
  expect((await shop.post('/payments', paid, { authorization })).status).toBe(401);
  const forged = { 'payment-signature': '0'.repeat(64) };
  expect((await shop.post('/payments', paid, forged)).status).toBe(401);
  for (const wrong of [{ payment: null }, { payment: 7 }, { checkout: null }, { payment: '' }]) {
    expect((await shop.post('/payments', { ...paid, ...wrong })).status).toBe(400);
  }
  const wrongly: object[] = [
    { checkout: 'none' },
    { amount: 1 },
    { amount: null },
    { currency: 'EUR' },
  ];
  for (const [index, wrong] of wrongly.entries()) {
    const response = await shop.post('/payments', { ...paid, ...wrong, payment: `x-${index}` });
    expect(await response.json()).toEqual({ added: false });
  }
  const sales = (await shop.sales()).filter(({ payment }) => payment.startsWith('x'));
  expect(sales.map(({ payment, pay_back }) => [payment, pay_back]).sort()).toEqual(
    wrongly.map((_wrong, index) => [`x-${index}`, 'not_as_quoted']),
  );
  for (const path of closed) {
    expect((await shop.get(path, {})).status).toBe(401);
    expect((await shop.get(path, { authorization: 'Bearer guess' })).status).toBe(401);
  }
}

/** A request of the timer is killed while its order is at the service; later ones end the sale. */
async function drainThroughKill(test: TestContext, startShop: StartShop): Promise<void> {
  const emulator = await startService(test);
  const killed = await startShop(emulator);
  const drain = (at: Shop) => at.get('/cron/market', { authorization: `Bearer ${cronSecret}` });

  emulator.faults.on('POST /orders', fault.latency(Infinity), { times: 1 });
  await pay(killed, 'payment-1', 'first.example');
  const ended = drain(killed).catch((error: unknown) => error);
  await untilOrdersSent(emulator, 1);
  killed.program.child.kill('SIGKILL');
  expect(await ended).toBeInstanceOf(TypeError);

  const shop = await startShop(emulator);
  const drained = { ...shop, sales: async () => drain(shop).then(() => shop.sales()) };
  await untilSales(drained, { 'payment-1': { order_id: anOrder, pay_back: null } });
  const other = { payment: 'payment-1', ...(await quote(shop, 'other', 'second.example')) };
  expect((await shop.post('/payments', other)).status).toBe(409);
  await refusesWhatIsNotPaid(shop);

  const [{ order_id: id } = { order_id: null }] = await shop.sales();
  emulator.admin.startTransfer(id!);
  emulator.admin.completeTransfer(id!);
  await untilSales(drained, { 'payment-1': { event: 'order.transfer_completed' } });
  expect(emulator.events.filter(({ type }) => type === 'order.recorded')).toHaveLength(1);
}

// Most of a test is the lease of the process that was killed: five take the time of one.
describe.concurrent('the program to copy', { timeout: 120_000 }, () => {
  it.skipIf(withoutSqlite)(
    'loses no sale on SQLite when it is killed and started again',
    async (test) => sellThroughKill(test, await onSqlite(test), 1),
  );

  it.skipIf(withoutPostgres !== undefined)(
    'loses no sale on PostgreSQL when one of its two processes is killed',
    async (test) => sellThroughKill(test, await onPostgres(test), 2),
  );

  it.skipIf(withoutPostgres !== undefined)(
    'in TypeScript loses no sale when it is killed and started again',
    async (test) => sellThroughKill(test, await inTypeScript(test), 1),
  );

  it.skipIf(withoutMysql !== undefined || withoutSqlite)(
    'loses no sale on MySQL when it is killed and started again',
    async (test) => sellThroughKill(test, await onMysql(test), 1),
  );

  it.skipIf(withoutMysql !== undefined || withoutSqlite)(
    'loses no sale on MySQL with Express 4 and Knex when it is killed and started again',
    async (test) => sellThroughKill(test, await onMysql(test, 'mysql.cjs'), 1),
  );

  /** The file of the queue is lost while a sale is open; then a buyer withdraws, and the service refunds another. */
  const losesTheQueue = (program: string) => async (test: TestContext) => {
    const emulator = await startService(test);
    const { startShop, queue, sql } = await openMysql(test, program);
    const killed = await startShop(emulator);
    await pay(killed, 'payment-1', 'first.example');
    await untilSales(killed, { 'payment-1': { order_id: anOrder } });
    emulator.faults.on('POST /orders', fault.latency(Infinity), { times: 1 });
    await pay(killed, 'payment-2', 'second.example');
    await untilOrdersSent(emulator, 2);
    killed.program.child.kill('SIGKILL');
    for (const suffix of ['', '-wal', '-shm']) await rm(queue + suffix, { force: true });
    // `recover` leaves out the last minute, which `add` covers.
    await sql('update sale set paid_at = paid_at - 120000');

    const shop = await startShop(emulator);
    await pay(shop, 'payment-3', 'third.example');
    await untilSales(shop, { 'payment-3': { order_id: anOrder } });
    expect((await shop.post('/withdrawals', { payment: 'payment-3' })).status).toBe(200);
    const [first] = (await shop.sales()).filter(({ payment }) => payment === 'payment-1');
    emulator.admin.refund(first!.order_id!);
    await untilSales(shop, {
      'payment-1': { pay_back: 'refunded' },
      'payment-2': { order_id: anOrder, pay_back: null },
      // Its event may come before the outbox reports the refund.
      'payment-3': { pay_back: expect.stringMatching(/^(withdrawn|refunded)$/) as string },
    });
    const recorded = emulator.events.filter(({ type }) => type === 'order.recorded');
    expect(recorded).toHaveLength(3);

    const lines = (await (await shop.get('/books')).text()).trim().split('\n');
    const credential = emulator.createCredential({ scopes: ['buy'] });
    const market = new MarketClient({ baseUrl: emulator.baseUrl, ...credential });
    test.onTestFinished(() => market.close());
    const sales = lines.map((line) => JSON.parse(line) as SaleInBooks);
    const day = 24 * 60 * 60_000;
    const [from, to] = [new Date(Date.now() - day), new Date(Date.now() + day)];
    const compared = market.orders.reconcile({ sales, from, to, graceMs: 1 });
    expect(await compared.toArray()).toEqual([]);
    expect(compared.summary).toMatchObject({ sales: 3, agreed: 3 });
  };
  for (const program of ['mysql.mjs', 'mysql.cjs']) {
    it.skipIf(withoutMysql !== undefined || withoutSqlite)(
      `recovers its sales when the file of ${program} is lost, and its books agree`,
      { timeout: 180_000 },
      losesTheQueue(program),
    );
  }

  it.skipIf(withoutPostgres !== undefined)('runs as docs/postgresql.md prints it', async (test) => {
    const emulator = await startService(test);
    const { keyId, secret } = emulator.createCredential();
    const [program] = programsOf(pageAt('docs/postgresql.md'));
    const file = await fileOf(test, program!.parts.map(({ code }) => code).join('\n'));
    const connectionString = await createDatabase(test);
    const shop = startProgram(
      ['--import', './test/durable/support/engine-packages.mjs', file],
      {
        DATABASE_URL: connectionString,
        MARKET_BASE_URL: emulator.baseUrl,
        MARKET_KEY_ID: keyId,
        MARKET_SECRET: secret,
        NODE_PATH: enginePackages,
      },
      findNodeWithSqlite(),
      test.onTestFinished,
    );
    const pool = new pg!.Pool({ connectionString });
    // The database is dropped under its connections.
    pool.on('error', () => undefined);
    test.onTestFinished(() => pool.end());
    await vi.waitFor(
      async () => {
        const { rows } = await pool.query('select * from paid');
        expect(rows, shop.output()).toEqual([{ payment: 'payment-1002', result: anOrder }]);
      },
      { timeout: 60_000, interval: 200 },
    );
    shop.child.kill('SIGKILL');
  });

  it.skipIf(withoutPostgres !== undefined)(
    'of Next.js loses no sale when a request of its timer is killed',
    async (test) => drainThroughKill(test, await onNextjs(test)),
  );

  it.skipIf(withoutSqlite)('starts while the service is away', async (test) => {
    const emulator = await startService(test);
    emulator.faults.on('GET /events', fault.internalError());
    emulator.faults.on('PUT /webhooks', fault.internalError());
    const startShop = await onSqlite(test);
    const shop = await startShop(emulator);
    expect((await shop.get('/health')).status).toBe(200);
  });

  it.skipIf(withoutSqlite)('listens on 127.0.0.1 alone', async (test) => {
    const startShop = await onSqlite(test);
    const { port } = await startShop(await startService(test));
    await expect(fetch(`http://127.0.0.2:${port}/health`)).rejects.toBeInstanceOf(TypeError);
  });

  const late = (onEngine: OnEngine) => async (test: TestContext) => {
    const emulator = await startService(test);
    const shop = await (await onEngine(test))(emulator);
    await pay(shop, 'payment-1', 'first.example');
    await untilSales(shop, { 'payment-1': { order_id: anOrder } });
    const id = (await shop.sales())[0]!.order_id!;
    emulator.faults.history.late('1 minute', { type: 'order.transfer_completed' });
    emulator.faults.deliveries.next('lost', { type: 'order.transfer_completed' });
    emulator.admin.startTransfer(id);
    emulator.admin.completeTransfer(id);
    emulator.admin.refund(id);
    await untilSales(shop, { 'payment-1': { pay_back: 'refunded' } });
    emulator.clock.advance('2 minutes');
    const completed = emulator.events.find(({ type }) => type === 'order.transfer_completed')!;
    emulator.admin.deliverAgain(completed.id);
    await vi.waitFor(
      async () => {
        const health = (await (await shop.get('/health')).json()) as { events: object };
        expect(health.events).toMatchObject({ late: 1, waiting: 0, running: 0 });
      },
      // On a busy machine the delivery may give up before the overlap is read: the poll of each minute reads it.
      { timeout: 75_000, interval: 200 },
    );
    expect(await shop.sales()).toMatchObject([{ pay_back: 'refunded' }]);
  };
  const keepsARefund = 'keeps a refund that the history shows before the delivery';
  it.skipIf(withoutSqlite)(`${keepsARefund}, on SQLite`, late(onSqlite));
  it.skipIf(withoutPostgres !== undefined)(`${keepsARefund}, on PostgreSQL`, late(onPostgres));

  /** The service cancels an order whose response never comes; the program is killed while the event waits. */
  const cancelled = (onEngine: OnEngine) => async (test: TestContext) => {
    const emulator = await startService(test);
    const startShop = await onEngine(test);
    const killed = await startShop(emulator);
    emulator.faults.on('POST /orders', fault.latency(Infinity), { times: 1 });
    await pay(killed, 'payment-1', 'first.example');
    await untilOrdersSent(emulator, 1);
    const recorded = emulator.events.find(({ type }) => type === 'order.recorded')!;
    const id = (recorded.data as { order: { public_id: string } }).order.public_id;
    emulator.admin.cancel(id);
    await vi.waitFor(
      async () => {
        const health = (await (await killed.get('/health')).json()) as object;
        expect(health).toMatchObject({ events: { waitingForSale: 1 } });
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(await killed.sales()).toMatchObject([{ order_id: null, pay_back: null }]);
    killed.program.child.kill('SIGKILL');
    const shop = await startShop(emulator);
    await untilSales(shop, { 'payment-1': { order_id: id, pay_back: 'refunded' } });
  };
  const paysBack = 'pays back an order that is cancelled before its response, through a kill';
  it.skipIf(withoutSqlite)(`${paysBack}, on SQLite`, cancelled(onSqlite));
  it.skipIf(withoutPostgres !== undefined)(`${paysBack}, on PostgreSQL`, cancelled(onPostgres));

  it('is short enough to be read', async () => {
    for (const file of ['sqlite', 'postgres', 'mysql']) {
      const text = await readFile(`examples/go-live/${file}.mjs`, 'utf8');
      const code = text.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line));
      expect({ file, isShort: code.length <= 190 }).toEqual({ file, isShort: true });
    }
  });
});
