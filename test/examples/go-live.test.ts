/** The programs that a partner copies, as processes: they are killed in the middle of an order, and sell on. */

import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { describe, expect, it, vi, type TestContext } from 'vitest';
import { findNodeWithSqlite } from '../durable/support/find-sqlite.js';
import { pg, pgBoss } from '../durable/support/pg-boss-under-test.js';
import { pageAt } from '../docs/pages.js';
import { programsOf } from '../docs/programs.js';
import {
  findPackage,
  isReachable,
  mysqlUrl,
  postgresUrl,
  skipReason,
} from '../durable/support/servers.js';
import { keepBusy } from '../support/busy-senders.js';
import { freePort } from '../support/free-port.mjs';
import { startProgram, type RunningProgram } from '../support/program.js';

interface Sale {
  readonly payment: string;
  readonly domain: string;
  readonly order_id: string | null;
  readonly pay_back: string | null;
  readonly event: string | null;
  /** Of the program on MySQL. */
  readonly status?: string | null;
}

interface Shop {
  readonly program: RunningProgram;
  readonly port: string;
  /** With the token and the payment provider's signature, unless other headers are given. */
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  sales(): Promise<Sale[]>;
}

const secrets = { PAYMENT_SECRET: 'secret-of-the-provider', SHOP_TOKEN: 'token-of-the-shop' };
const authorization = `Bearer ${secrets.SHOP_TOKEN}`;
const sign = (body: string) =>
  createHmac('sha256', secrets.PAYMENT_SECRET).update(body).digest('hex');

/** The engine of a connection string loads pg and pg-boss from where the package lies. */
const enginePackages = resolve('test/durable/servers/node_modules');

type StartShop = (emulator: MarketEmulator) => Promise<Shop>;
type OnEngine = (test: TestContext) => Promise<StartShop>;

/** @param file - the program, which is started as often as the test says */
function starter(
  { onTestFinished }: TestContext,
  file: string,
  variables: Readonly<Record<string, string>>,
): StartShop {
  let credential: { keyId: string; secret: string } | undefined;
  return async (emulator) => {
    credential ??= emulator.createCredential({ scopes: ['search', 'buy', 'webhook'] });
    const port = String(await freePort());
    const args = ['--import', './test/durable/support/engine-packages.mjs', file];
    const program = startProgram(
      ['--no-warnings', ...args],
      {
        PORT: port,
        MARKET_BASE_URL: emulator.baseUrl,
        MARKET_KEY_ID: credential.keyId,
        MARKET_SECRET: credential.secret,
        MARKET_WEBHOOK_SECRET: 'whsec_of_the_test',
        ...secrets,
        ...variables,
      },
      findNodeWithSqlite(),
      onTestFinished,
    );
    await program.printed(/"message":"ready"/);
    const get = (path: string, headers: Record<string, string> = { authorization }) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const post = (path: string, content: object, headers?: Record<string, string>) => {
      const body = JSON.stringify(content);
      const own = { authorization, 'payment-signature': sign(body) };
      return fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: headers ?? own,
        body,
      });
    };
    const sales = async () => (await (await get('/sales')).json()) as Sale[];
    return { program, port, get, post, sales };
  };
}

async function onSqlite(test: TestContext): Promise<StartShop> {
  const folder = await mkdtemp(join(tmpdir(), 'go-live-'));
  test.onTestFinished(() => rm(folder, { recursive: true }));
  return starter(test, 'examples/go-live/sqlite.mjs', { DATABASE: join(folder, 'shop.db') });
}

/** A database of its own: the program uses its own tables, and pg-boss's schema. */
async function createDatabase({ onTestFinished }: TestContext): Promise<string> {
  const pool = new pg!.Pool({ connectionString: postgresUrl.href });
  const name = `go_live_${randomBytes(6).toString('hex')}`;
  await pool.query(`create database ${name}`);
  onTestFinished(async () => {
    await pool.query(`drop database ${name} with (force)`);
    await pool.end();
  });
  return new URL(`/${name}`, postgresUrl).href;
}

/** A database of its own, on the MariaDB or MySQL at MYSQL_URL. */
async function onMysql(test: TestContext): Promise<StartShop> {
  const name = `go_live_${randomBytes(6).toString('hex')}`;
  const connection = await mysql!.createConnection(mysqlUrl.href);
  await connection.query(`create database ${name}`);
  const folder = await mkdtemp(join(tmpdir(), 'go-live-'));
  test.onTestFinished(async () => {
    await connection.query(`drop database ${name}`);
    await connection.end();
    await rm(folder, { recursive: true });
  });
  const startShop = starter(test, 'examples/go-live/mysql.mjs', {
    DATABASE_URL: new URL(`/${name}`, mysqlUrl).href,
    QUEUE: join(folder, 'market.db'),
  });
  return async (emulator) => {
    const shop = await startShop(emulator);
    // It stores the status that an event states.
    const sales = async () =>
      (await shop.sales()).map((sale) => ({
        ...sale,
        event: sale.status === 'SETTLED' ? 'order.settled' : null,
      }));
    return { ...shop, sales };
  };
}

async function onPostgres(
  test: TestContext,
  file = 'examples/go-live/postgres.mjs',
): Promise<StartShop> {
  // The engine makes its own boss.
  return starter(test, file, {
    DATABASE_URL: await createDatabase(test),
    NODE_PATH: enginePackages,
  });
}

/** A program in a folder outside of the repository. */
async function fileOf({ onTestFinished }: TestContext, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'go-live-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'program.mjs');
  await writeFile(file, code);
  return file;
}

/** Without its types, as Node 22.18 runs it, for every Node. */
async function inTypeScript(test: TestContext): Promise<StartShop> {
  const source = await readFile('examples/go-live/postgres.ts', 'utf8');
  const { code } = await transform(source, { loader: 'ts', target: 'node20' });
  return onPostgres(test, await fileOf(test, code));
}

const mysql = findPackage('mysql2/promise') as
  | {
      createConnection(url: string): Promise<{
        query(sql: string): Promise<unknown>;
        end(): Promise<void>;
      }>;
    }
  | undefined;

const cronSecret = 'secret-of-the-timer';

/** The routes of the Next.js program, on the tables that its script `migrate` makes. */
async function onNextjs(test: TestContext): Promise<StartShop> {
  const connectionString = await createDatabase(test);
  const ddl = ['durable', 'ddl', '--engine', 'postgres:', '--environment', 'sandbox'];
  const { stdout: ours } = await promisify(execFile)(process.execPath, ['dist/bin.cjs', ...ddl]);
  const sale = await readFile('examples/durable/nextjs/sale.sql', 'utf8');
  const { getConstructionPlans } = pgBoss as unknown as {
    readonly getConstructionPlans: (schema: string) => string;
  };
  const pool = new pg!.Pool({ connectionString });
  for (const sql of [getConstructionPlans('pgboss'), ours, sale]) await pool.query(sql);
  await pool.end();
  const variables = { DATABASE_URL: connectionString, CRON_SECRET: cronSecret };
  return starter(test, 'test/examples/serve-nextjs.mjs', variables);
}

async function startService({ onTestFinished }: TestContext) {
  const emulator = await MarketEmulator.start();
  onTestFinished(() => emulator.stop());
  for (const domain of ['first.example', 'second.example', 'third.example', 'fourth.example']) {
    emulator.admin.list({ domain, price_cents: 86_000 });
  }
  return emulator;
}

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

const withoutSqlite = findNodeWithSqlite() === undefined;
const withoutPostgres = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

const withoutMysql = skipReason({
  'mysql2 (npm run test:engines installs it)': mysql === undefined,
  'MariaDB or MySQL at MYSQL_URL': !(await isReachable(mysqlUrl)),
});

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
