/** What strangers send to the programs that a partner copies, and to the emulator beside them: none ends, orders or leaks. */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { freePort } from '../support/free-port.mjs';
import { startProgram, type RunningProgram } from '../support/program.js';
import { node, packages, shopSecrets } from './run-shop.js';
import {
  enginePackages,
  onMysql,
  onPostgres,
  onSqlite,
  startService,
  withoutMysql,
  withoutPostgres,
  withoutSqlite,
} from './start-shop.js';

interface Target {
  readonly program: RunningProgram;
  readonly port: number;
  /** Its file of SQLite, if it has one. */
  readonly file?: string | undefined;
}

const megabytes = 30;
const chunk = Buffer.alloc(1_000_000, 32);

/** The status line of the response, or the code of the socket's error. */
function send(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (text: Buffer) => {
      received += text.toString('latin1');
      if (received.includes('\r\n')) socket.end();
    });
    socket.on('error', ({ code = 'error' }: NodeJS.ErrnoException) => resolve(received || code));
    socket.on('close', () => resolve(received.split('\r\n')[0] ?? ''));
    for (const part of parts) socket.write(part);
  });
}

const head = (target: string, port: number, ...headers: readonly string[]) =>
  [`${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n');

const post = (path: string, length: number) => (port: number) => [
  head(`POST ${path}`, port, `Content-Length: ${length}`, 'Content-Type: application/json'),
];
const json = (path: string, text: string) => (port: number) => [
  ...post(path, Buffer.byteLength(text))(port),
  text,
];
const get =
  (path: string, ...headers: readonly string[]) =>
  (port: number) => [head(`GET ${path}`, port, 'Connection: close', ...headers)];

const requests: Readonly<Record<string, (port: number) => (string | Buffer)[]>> = {
  'no path': get('//'),
  'no path, and a port': get('//x:99999999'),
  'a sign that ends': get('/%'),
  'a byte of zero': get('/%00'),
  'bytes that are no UTF-8': get('/%ff%fe'),
  'a path with dots': get('/../../etc/passwd'),
  'encoded dots': get('/sales/%2e%2e/%2e%2e/etc/passwd'),
  'an address that is none': get('http://['),
  'every path': (port) => [head('OPTIONS *', port, 'Connection: close')],
  'a host that is none': (port) => [`GET / HTTP/1.1\r\nHost: a b<>:x\r\n\r\n${port}`],
  '10,000 headers': (port) => [
    head('GET /', port, ...Array.from({ length: 10_000 }, (_, each) => `x-${each}: 1`)),
  ],
  'a body of 30 MB to the payments': (port) => [
    ...post('/payments', megabytes * chunk.length)(port),
    ...Array.from({ length: megabytes }, () => chunk),
  ],
  'a body of 30 MB without its length': (port) => [
    head('POST /payments', port, 'Transfer-Encoding: chunked'),
    ...Array.from({ length: megabytes }, () => [
      `${chunk.length.toString(16)}\r\n`,
      chunk,
      '\r\n',
    ]).flat(),
    '0\r\n\r\n',
  ],
  'a body of 30 MB to the webhooks': (port) => [
    ...post('/webhooks/market', megabytes * chunk.length)(port),
    ...Array.from({ length: megabytes }, () => chunk),
  ],
  'no JSON': json('/payments', '{'),
  null: json('/payments', 'null'),
  'a payment that nobody signed': json('/payments', '{"payment":"p-1","checkout":"c-1"}'),
  'a payment of null': json('/payments', '{"payment":null}'),
  'a key of the prototype': json('/quotes', '{"__proto__":{"checkout":"c"},"domain":{}}'),
  'the quote of a stranger': json('/quotes', '{"checkout":"c-1","domain":"first.example"}'),
  'a page of another site': (port) => [
    head(
      'POST /checkout',
      port,
      'Origin: https://evil.example',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 20',
    ),
    'domain=first.example',
  ],
};

/** No status of a program's own failure, and none that says that something was done. */
const refused = /^HTTP\/1\.1 (?:4\d\d|503)|^(?:ECONNRESET|EPIPE|)$/;

async function standsFirm({ program, port, file }: Target, alsoFine: RegExp): Promise<void> {
  const slow = connect(port, '127.0.0.1');
  slow.on('error', () => undefined);
  slow.write(`${post('/payments', 100)(port).join('')}{`);
  const results = new Map<string, string>();
  for (const [name, request] of Object.entries(requests)) {
    results.set(name, await send(port, ...request(port)));
  }
  slow.destroy();
  for (const [name, result] of results) {
    expect([name, refused.test(result) || alsoFine.test(result) ? '' : result]).toEqual([name, '']);
  }
  expect(program.child.exitCode).toBeNull();
  expect(program.output()).not.toMatch(/secret-of-the-provider|token-of-the-shop/);
  for (const name of file === undefined ? [] : [file, `${file}-wal`, `${file}-shm`]) {
    const { mode } = await stat(name);
    expect([name, mode & 0o777]).toEqual([name, 0o600]);
  }
}

const nothing = /^$/;
const programs: [string, boolean, (test: TestContext) => ReturnType<typeof onSqlite>][] = [
  ['sqlite.mjs', withoutSqlite, onSqlite],
  ['postgres.mjs', withoutPostgres !== undefined, (test) => onPostgres(test)],
  [
    'the worker of Compose',
    withoutPostgres !== undefined,
    (test) => onPostgres(test, 'examples/durable/compose/worker.mjs'),
  ],
  ['mysql.mjs', withoutSqlite || withoutMysql !== undefined, (test) => onMysql(test)],
  ['mysql.cjs', withoutSqlite || withoutMysql !== undefined, (test) => onMysql(test, 'mysql.cjs')],
];

describe('hostile requests', { timeout: 60_000 }, () => {
  for (const [name, isSkipped, open] of programs) {
    it.skipIf(isSkipped)(`end nothing and order nothing at ${name}`, async (test) => {
      const emulator = await startService(test);
      const shop = await (await open(test))(emulator);
      await standsFirm({ ...shop, port: Number(shop.port) }, nothing);
      expect((await shop.get('/health')).status).toBe(200);
      expect(emulator.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    });
  }

  it.skipIf(withoutSqlite)('end nothing and order nothing at the shop', async (test) => {
    const emulator = await startService(test);
    const { keyId, secret } = emulator.createCredential({ scopes: ['search', 'buy', 'webhook'] });
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'shop-'));
    const file = join(folder, 'shop.db');
    test.onTestFinished(() => rm(folder, { recursive: true }));
    const program = startProgram(
      ['--no-warnings', ...packages, 'examples/shop/shop.mjs'],
      {
        PORT: String(port),
        DATABASE: file,
        DATABASE_URL: '',
        OPERATOR_PASSWORD: 'operator',
        ...shopSecrets,
        MARKET_BASE_URL: emulator.baseUrl,
        MARKET_KEY_ID: keyId,
        MARKET_SECRET: secret,
        MARKET_WEBHOOK_SECRET: 'whsec_of_the_shop',
      },
      node,
    );
    await program.printed(/^ready/m);
    // Its first page is for everybody.
    await standsFirm({ program, port, file }, /^HTTP\/1\.1 200/);
    expect(emulator.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('end nothing at the emulator', async () => {
    const port = await freePort();
    const program = startProgram(['dist/bin.cjs', 'emulator', '--port', String(port)]);
    await program.printed(/The emulator listens/);
    // Its own error responses, and the redirect to its console.
    await standsFirm({ program, port }, /^HTTP\/1\.1 3\d\d/);
  });

  it.skipIf(withoutSqlite).each(['sqlite.mjs', 'postgres.mjs', 'mysql.mjs', 'mysql.cjs'])(
    '%s does not start without its secrets, and says which',
    async (name) => {
      const installed = ['node_modules', enginePackages].map((each) => resolve(each));
      const program = startProgram(
        [...packages, `examples/go-live/${name}`],
        {
          MARKET_WEBHOOK_SECRET: 'whsec',
          DATABASE_URL: 'set',
          NODE_PATH: installed.join(delimiter),
        },
        node,
      );
      await expect(program.printed(/ready/)).rejects.toThrow(/Set PAYMENT_SECRET, SHOP_TOKEN\./);
    },
  );
});
