/** The programs that a partner copies, each as a process with all that it needs. */

import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { MarketEmulator } from 'market-partner-sdk/testing';
import type { TestContext } from 'vitest';
import { findNodeWithSqlite } from '../durable/support/find-sqlite.js';
import { pg, pgBoss } from '../durable/support/pg-boss-under-test.js';
import {
  findPackage,
  isReachable,
  mysqlUrl,
  postgresUrl,
  skipReason,
} from '../durable/support/servers.js';
import { freePort } from '../support/free-port.mjs';
import { startProgram, type RunningProgram } from '../support/program.js';

export interface Sale {
  readonly payment: string;
  readonly domain: string;
  readonly order_id: string | null;
  readonly pay_back: string | null;
  readonly event: string | null;
  /** Of the program on MySQL. */
  readonly status?: string | null;
}

export interface Shop {
  readonly program: RunningProgram;
  readonly port: string;
  /** Its file of SQLite, if it has one. */
  readonly file: string | undefined;
  /** With the token and the payment provider's signature, unless other headers are given. */
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  sales(): Promise<Sale[]>;
}

export const secrets = {
  PAYMENT_SECRET: 'secret-of-the-provider',
  SHOP_TOKEN: 'token-of-the-shop',
};
export const authorization = `Bearer ${secrets.SHOP_TOKEN}`;
export const sign = (body: string) =>
  createHmac('sha256', secrets.PAYMENT_SECRET).update(body).digest('hex');

/** The engine of a connection string loads pg and pg-boss from where the package lies. */
export const enginePackages = resolve('test/durable/servers/node_modules');

export type StartShop = (emulator: MarketEmulator) => Promise<Shop>;
export type OnEngine = (test: TestContext) => Promise<StartShop>;

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
    await program.printed(/"message":"ready"|^ready$/m);
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
    return { program, port, file: variables.DATABASE ?? variables.QUEUE, get, post, sales };
  };
}

export async function onSqlite(test: TestContext): Promise<StartShop> {
  const folder = await mkdtemp(join(tmpdir(), 'go-live-'));
  test.onTestFinished(() => rm(folder, { recursive: true }));
  return starter(test, 'examples/go-live/sqlite.mjs', { DATABASE: join(folder, 'shop.db') });
}

/** A database of its own: the program uses its own tables, and pg-boss's schema. */
export async function createDatabase({ onTestFinished }: TestContext): Promise<string> {
  const pool = new pg!.Pool({ connectionString: postgresUrl.href });
  const name = `go_live_${randomBytes(6).toString('hex')}`;
  await pool.query(`create database ${name}`);
  onTestFinished(async () => {
    await pool.query(`drop database ${name} with (force)`);
    await pool.end();
  });
  return new URL(`/${name}`, postgresUrl).href;
}

export async function onMysql(test: TestContext, program?: string): Promise<StartShop> {
  return (await openMysql(test, program)).startShop;
}

/** A database of its own, on the MariaDB or MySQL at MYSQL_URL; `queue` is the engine's file. */
export async function openMysql(test: TestContext, program = 'mysql.mjs') {
  const name = `go_live_${randomBytes(6).toString('hex')}`;
  const connection = await mysql!.createConnection(mysqlUrl.href);
  await connection.query(`create database ${name}`);
  const folder = await mkdtemp(join(tmpdir(), 'go-live-'));
  test.onTestFinished(async () => {
    await connection.query(`drop database ${name}`);
    await connection.end();
    await rm(folder, { recursive: true });
  });
  // As in a partner's folder: with Express 4, which another folder has under another name.
  const packages = { 'market-partner-sdk': '.', express: 'node_modules/express4' };
  const installed = ['knex', 'mysql2'].map((each) => [each, join(enginePackages, each)] as const);
  const hono = ['hono', '@hono'].map((each) => [each, join('node_modules', each)] as const);
  await mkdir(join(folder, 'node_modules'));
  for (const [each, path] of [...Object.entries(packages), ...installed, ...hono]) {
    await symlink(resolve(path), join(folder, 'node_modules', each));
  }
  await copyFile(`examples/go-live/${program}`, join(folder, program));
  const queue = join(folder, 'market.db');
  const start = starter(test, join(folder, program), {
    DATABASE_URL: new URL(`/${name}`, mysqlUrl).href,
    QUEUE: queue,
  });
  const startShop: StartShop = async (emulator) => {
    const shop = await start(emulator);
    // It stores the status that an event states.
    const sales = async () =>
      (await shop.sales()).map((sale) => ({
        ...sale,
        event: sale.status === 'SETTLED' ? 'order.settled' : null,
      }));
    return { ...shop, sales };
  };
  return {
    startShop,
    queue,
    sql: (text: string) => connection.query(`use ${name}`).then(() => connection.query(text)),
  };
}

export async function onPostgres(
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
export async function fileOf(
  { onTestFinished }: TestContext,
  code: string,
  packages: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'go-live-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'program.mjs');
  await writeFile(file, code);
  for (const [name, path] of Object.entries(packages)) {
    await cp(path, join(folder, 'node_modules', name, 'index.mjs'));
    const manifest = JSON.stringify({ name, exports: './index.mjs' });
    await writeFile(join(folder, 'node_modules', name, 'package.json'), manifest);
  }
  return file;
}

/** Without its types, as Node 22.18 runs it, for every Node. */
export async function inTypeScript(test: TestContext): Promise<StartShop> {
  const source = await readFile('examples/go-live/postgres.ts', 'utf8');
  return onPostgres(test, await fileOf(test, await withoutTypes(source)));
}

export async function withoutTypes(source: string): Promise<string> {
  return (await transform(source, { loader: 'ts', target: 'node20' })).code;
}

const mysql = findPackage('mysql2/promise') as
  | {
      createConnection(url: string): Promise<{
        query(sql: string): Promise<unknown>;
        end(): Promise<void>;
      }>;
    }
  | undefined;

export const cronSecret = 'secret-of-the-timer';

/** A database with the tables of pg-boss and of the package, for a program that may create none. */
export async function createMigratedDatabase(test: TestContext, ownSql = ''): Promise<string> {
  const connectionString = await createDatabase(test);
  const ddl = ['durable', 'ddl', '--engine', 'postgres:', '--environment', 'sandbox'];
  const { stdout: ours } = await promisify(execFile)(process.execPath, ['dist/bin.cjs', ...ddl]);
  const { getConstructionPlans } = pgBoss as unknown as {
    readonly getConstructionPlans: (schema: string) => string;
  };
  const pool = new pg!.Pool({ connectionString });
  for (const sql of [getConstructionPlans('pgboss'), ours, ownSql]) await pool.query(sql);
  await pool.end();
  return connectionString;
}

/** The routes of the Next.js program, on the tables that its script `migrate` makes. */
export async function onNextjs(test: TestContext): Promise<StartShop> {
  const sale = await readFile('examples/durable/nextjs/sale.sql', 'utf8');
  const connectionString = await createMigratedDatabase(test, sale);
  const variables = { DATABASE_URL: connectionString, CRON_SECRET: cronSecret };
  return starter(test, 'test/examples/serve-nextjs.mjs', variables);
}

export async function startService({ onTestFinished }: TestContext) {
  const emulator = await MarketEmulator.start();
  onTestFinished(() => emulator.stop());
  for (const domain of ['first.example', 'second.example', 'third.example', 'fourth.example']) {
    emulator.admin.list({ domain, price_cents: 86_000 });
  }
  return emulator;
}

export const withoutSqlite = findNodeWithSqlite() === undefined;
export const withoutPostgres = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

export const withoutMysql = skipReason({
  'mysql2 (npm run test:engines installs it)': mysql === undefined,
  'MariaDB or MySQL at MYSQL_URL': !(await isReachable(mysqlUrl)),
});
