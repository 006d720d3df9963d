import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarketClient, type OrderInput, type Profile } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { findBetterSqlite } from '../durable/support/find-sqlite.js';
import { noCallbacks } from '../durable/support/no-callbacks.js';
import { runCommandLine } from '../../src/command-line/main.js';

const hourMs = 3_600_000;
const openSqlite = findBetterSqlite();

let folder: string;
let emulator: MarketEmulator;
let env: Record<string, string>;
let sale: object;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reconcile-'));
  // The order was recorded an hour ago.
  emulator = await MarketEmulator.start({ clock: () => Date.now() - hourMs });
  const { keyId, secret } = emulator.createCredential({ scopes: ['buy'] });
  const { baseUrl } = emulator;
  env = { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
  const market = new MarketClient({ baseUrl, keyId, secret, clock: () => Date.now() - hourMs });
  const { price_cents: price = 0 } = await market.orders.quote({ domain: 'brew.example' });
  const input = {
    domain: 'brew.example',
    expected_price: price,
    external_payment_ref: 'payment-1',
  };
  const order = await market.orders.create(input, { idempotencyKey: 'payment-1' });
  await market.close();
  sale = {
    idempotencyKey: 'payment-1',
    input,
    startedAt: Date.now() - hourMs - 1_000,
    state: 'placed',
    publicId: order.public_id,
    status: order.status,
  };
});

afterEach(async () => {
  await emulator.stop();
  await rm(folder, { recursive: true });
});

/** Runs the command on a file of these lines. */
async function reconcile(lines: readonly unknown[], ...options: string[]) {
  const file = join(folder, 'sales.jsonl');
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(file, `${text.join('\n')}\n`);
  return run(file, ...options);
}

async function run(...args: string[]) {
  let [out, err] = ['', ''];
  const code = await runCommandLine(['reconcile', ...args], {
    out: (part) => void (out += part),
    err: (part) => void (err += part),
    stop: new AbortController().signal,
    env,
    // The drivers are looked for where the partner's program is.
    cwd: fileURLToPath(new URL('../durable/servers', import.meta.url)),
  });
  return { code, out, err };
}

describe('market-partner-sdk reconcile', () => {
  it('exits with 0 and counts the sales when the books agree', async () => {
    const { code, out } = await reconcile([sale]);
    expect(out).toContain('1 of 1 sales agree');
    expect(code).toBe(0);
  });

  it('reads the service by the profile that MARKET_PROFILE names, also in --env-file', async () => {
    const profile: Profile = { version: 1, naming: { case: 'camel' } };
    const other = await MarketEmulator.start({ profile, clock: () => Date.now() - hourMs });
    const { keyId, secret } = other.createCredential({ scopes: ['buy'] });
    const connection = { baseUrl: other.baseUrl, keyId, secret, profile };
    const market = new MarketClient({ ...connection, clock: () => Date.now() - hourMs });
    const { input } = sale as { input: OrderInput };
    const order = await market.orders.create(input, { idempotencyKey: 'payment-1' });
    await Promise.all([
      market.close(),
      writeFile(join(folder, 'profile.json'), JSON.stringify(profile)),
      writeFile(join(folder, '.env'), `MARKET_PROFILE=${join(folder, 'profile.json')}`),
    ]);
    env = { MARKET_BASE_URL: other.baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
    const sold = { ...sale, publicId: order.public_id };
    const { code, out } = await reconcile([sold], '--env-file', join(folder, '.env'));
    await other.stop();
    expect([code, out]).toEqual([0, expect.stringContaining('1 ') as string]);
  });

  it('exits with 0 after a night without a sale, though the day before has orders that agree', async () => {
    const from = new Date(Date.now() - hourMs / 2).toISOString();
    const { code, out } = await reconcile([sale], '--from', from);
    expect(out).toContain('no sale to compare with 1 orders');
    expect(code).toBe(0);
  });

  it.each<[string, readonly object[], number]>([
    ['its time in the books is of another day', [{ startedAt: '2026-05-11T08:00:00Z' }], 1],
    ['the books are empty', [], 2],
  ])('is not green when it compared no sale of an order, because %s', async (_, changes, exit) => {
    const { code, out } = await reconcile(changes.map((change) => ({ ...sale, ...change })));
    expect(out).toContain('no sale to compare with');
    expect(code).toBe(exit);
  });

  it('exits with 2 and prints the finding, its line and the next step', async () => {
    const { code, out } = await reconcile([{ ...sale, state: 'refused' }]);
    expect(out).toContain('order_of_a_refused_sale line 1 payment-1 ord_');
    expect(out).toContain('orders.refund');
    expect(code).toBe(2);
  });

  it('prints JSON lines with --json, the summary last', async () => {
    const { out } = await reconcile([{ ...sale, state: 'open' }], '--json');
    const [finding, last] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(finding).toMatchObject({ kind: 'behind', row: 0, idempotencyKey: 'payment-1' });
    expect(last).toMatchObject({ summary: { sales: 1, agreed: 0 } });
  });

  it('exits with 1 when lines are wrong and nothing differs', async () => {
    const { code, out } = await reconcile([sale, 'no JSON']);
    expect(out).toContain('not_checkable           line 2');
    expect(code).toBe(1);
  });

  it.each<[string, () => string]>([
    ['a list', () => JSON.stringify([sale, sale])],
    ['a list over several lines', () => JSON.stringify([sale], null, 2)],
    ['a sale over several lines', () => JSON.stringify(sale, null, 2)],
  ])('compares nothing with %s, and says how to write it', async (_what, write) => {
    const { code, out, err } = await reconcile([write()]);
    expect(err).toMatch(/each sale on a line of its own.*jq -c/);
    expect(out).toBe('');
    expect(code).toBe(1);
  });

  it('exits with 1 and the error when the service cannot be read', async () => {
    emulator.faults.on('GET /orders', fault.status(403, { code: 'forbidden' }));
    const { code, err } = await reconcile([sale]);
    expect(err).toContain('403');
    expect(code).toBe(1);
  });

  it('exits with 1, not with 2, for arguments that it does not understand', async () => {
    const { code, err } = await reconcile([sale], '--form', '2026-11-01');
    expect(err).toContain('--form');
    expect(code).toBe(1);
  });

  it.skipIf(openSqlite === undefined)('compares the outbox of an engine', async () => {
    const path = join(folder, 'market.db');
    const { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret } = env;
    const market = new MarketClient({ baseUrl, keyId, secret });
    const refuse = () => undefined;
    const outbox = createOrderOutbox({
      market,
      engine: sqliteEngine(openSqlite!(path)),
      clock: () => Date.now() - hourMs,
      onPlaced: refuse,
      onRefused: refuse,
      onAttention: refuse,
      logger: false,
    });
    await outbox.add({ key: 'payment-2', order: { domain: 'roast.example', expected_price: 1 } });
    await outbox.stop();
    await market.close();
    const { code, out, err } = await run('--engine', `sqlite:${path}`);
    expect(err).toBe('');
    expect(out).toContain('missing_at_service      line 1 payment-2');
    expect(out).toContain('unknown_here');
    expect(code).toBe(2);
  });

  it.skipIf(openSqlite === undefined)(
    'exits with 0 when the outbox placed the order and the inbox handled its refund',
    async () => {
      const path = join(folder, 'market.db');
      const { keyId, secret } = emulator.createCredential({ partnerId: 'prt_2' });
      env = { ...env, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
      const ago = { clock: () => Date.now() - hourMs };
      const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret, ...ago });
      const engine = sqliteEngine(openSqlite!(path));
      const outbox = createOrderOutbox({ market, engine, ...ago, ...noCallbacks });
      const { price_cents: price = 0 } = await market.orders.quote({ domain: 'roast.example' });
      const order = { domain: 'roast.example', expected_price: price, currency: 'USD' };
      await outbox.add({ key: 'payment-2', order });
      await outbox.drain({ maxMs: 10_000 });
      const [placed] = await market.orders.list().toArray();
      emulator.admin.refund(placed!.public_id);
      const books = ['--engine', `sqlite:${path}`];
      expect(await run(...books)).toMatchObject({
        code: 2,
        out: expect.stringMatching(/^behind /) as string,
      });
      const refunded: string[] = [];
      const inbox = createEventInbox({
        market,
        engine,
        outbox,
        startFrom: 'beginning',
        logger: false,
        on: { 'order.refunded': ({ data }) => void refunded.push(data.order.public_id) },
      });
      await inbox.drain({ maxMs: 10_000 });
      expect(refunded).toEqual([placed!.public_id]);
      await Promise.all([inbox.stop(), outbox.stop()]);
      await market.close();
      expect(await run(...books)).toMatchObject({
        code: 0,
        out: expect.stringContaining('1 of 1 sales agree with 1 orders') as string,
      });
    },
  );

  it.each<[string, (text: string) => Buffer]>([
    ['Windows', (text) => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`)],
    ['PowerShell', (text) => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`, 'utf16le')],
    ['PowerShell, bigendianunicode', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['iconv, UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le')],
    ['iconv, UTF-16BE without a mark', (text) => Buffer.from(text, 'utf16le').swap16()],
    ['Windows, appended to another', (text) => Buffer.from(`\uFEFF\uFEFF${text}\r\n\uFEFF\r\n`)],
    ['an old Mac', (text) => Buffer.from(text.replaceAll('\n', '\r'))],
    ['an editor that adds blank lines', (text) => Buffer.from(`\n${text}\n  \n`)],
    ['one that ends no last line', (text) => Buffer.from(text.trimEnd())],
  ])('reads a file of %s', async (_, bytesOf) => {
    const file = join(folder, 'sales.jsonl');
    await writeFile(
      file,
      bytesOf(`${JSON.stringify({ ...sale, note: 'ä\u2028\u2029\u0085b' })}\n`),
    );
    const { code, out } = await run(file);
    expect(out).toContain('1 of 1 sales agree');
    expect(code).toBe(0);
  });

  it('numbers the lines of a file that is read in many pieces', async () => {
    const file = join(folder, 'sales.jsonl');
    const blank = `${' '.repeat(1_022)}\r\n`;
    // From one byte further, a CRLF lies across the border of two pieces.
    for (const [lead, number] of [
      ['', 301],
      [' \r\n', 302],
    ] as const) {
      await writeFile(file, `${lead}${blank.repeat(300)}no JSON\r\n`);
      expect((await run(file)).out).toContain(`line ${number}\n`);
    }
  });

  it.each<[string, Buffer]>([
    ['Excel, in the code page of Windows', Buffer.from('{"note":"M\xfcnchen"}\n', 'latin1')],
    ['a text that was cut off in a character', Buffer.from('{"note":"ü').subarray(0, -1)],
  ])('names a file of %s, and compares nothing', async (_, bytes) => {
    const file = join(folder, 'sales.jsonl');
    await writeFile(file, bytes);
    const { code, out, err } = await run(file);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(`${file}: it is not text in UTF-8 or UTF-16. Save it as UTF-8\n`);
  });

  it.skipIf(process.platform === 'win32')('reads a pipe from its begin', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [{ code, out }] = await Promise.all([run(pipe), writeFile(pipe, JSON.stringify(sale))]);
    expect(out).toContain('1 of 1 sales agree');
    expect(code).toBe(0);
  });

  it('names a folder that is given as a file', async () => {
    const { code, err } = await run(folder);
    expect([code, err]).toEqual([1, expect.stringMatching(`^${folder}: EISDIR`)]);
  });

  it('counts blank lines in the number of a line', async () => {
    const { out } = await reconcile([sale, '', '', 'no JSON']);
    expect(out).toMatch(/line 4\n/);
  });

  it.each([
    ['neither a file nor an engine', []],
    ['a file and an engine', ['sales.jsonl', '--engine', 'sqlite:market.db']],
  ])('refuses %s', async (_, args) => {
    const { code, err } = await run(...args);
    expect(err).toContain('"reconcile" takes one file, or --engine');
    expect(code).toBe(1);
  });

  it.each(['abc', '0', '-1', ''])('refuses --stuck-after %j by its name', async (days) => {
    const { code, err } = await run('sales.jsonl', `--stuck-after=${days}`);
    expect(err).toContain("'--stuck-after <days>' argument");
    expect(code).toBe(1);
  });
});
