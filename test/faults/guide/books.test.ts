/**
 * docs/reconciliation.md followed to the letter by processes that die of SIGKILL between every two lines:
 * the next run finds all that differs, each once, and nothing is ever written to the service or to the books.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarketClient, type SaleInBooks } from 'market-partner-sdk';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { forEachOf, runProgram, type Running } from './run-program.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const program = here('./compare-books.mjs');
const exportProgram = here('./export-sales.mjs');
const commandLine = here('../../../dist/bin.cjs');
const hourMs = 3_600_000;
const parallel = 6;

let emulator: MarketEmulator;
let folder: string;
let books: string;
let variables: Record<string, string>;
let requestsBefore: number;
/** What differs, as every whole run must say it. */
let expected: string[];

/** Five sales; the books are wrong about four of them. An order has no sale. */
beforeEach(async () => {
  const clock = () => Date.now() - hourMs;
  emulator = await MarketEmulator.start({ clock, logSize: 10_000 });
  const { keyId, secret } = emulator.createCredential();
  const { baseUrl } = emulator;
  variables = { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
  await using market = new MarketClient({ baseUrl, keyId, secret, clock });
  const sell = async (payment: string, believed: Partial<SaleInBooks> = {}) => {
    const domain = `${payment}.example`;
    emulator.admin.list({ domain, price_cents: 86_000 });
    const input = { domain, expected_price: 86_000, external_payment_ref: payment };
    const startedAt = new Date(Date.now() - hourMs - 1_000).toISOString();
    const order = await market.orders.create(input, { idempotencyKey: payment });
    const publicId = order.public_id;
    return { input, idempotencyKey: payment, startedAt, state: 'placed', publicId, ...believed };
  };
  const sales = [
    await sell('right'),
    await sell('paid-back', { state: 'refused' }),
    await sell('dearer', {
      input: { domain: 'dearer.example', expected_price: 1, external_payment_ref: 'dearer' },
    }),
    await sell('still-open', { state: 'open', publicId: undefined }),
  ];
  const { startedAt } = sales[0]!;
  const lost = { domain: 'lost.example', expected_price: 86_000, external_payment_ref: 'lost' };
  const unknown = await sell('unknown');
  folder = await mkdtemp(join(tmpdir(), 'market-books-'));
  books = join(folder, 'books.json');
  const missing = { input: lost, idempotencyKey: 'lost', startedAt, state: 'placed' };
  await writeFile(books, JSON.stringify([...sales, missing]));
  expected = [
    'amount_differs dearer',
    'behind still-open',
    'missing_at_service lost',
    'order_of_a_refused_sale paid-back',
    `unknown_here ${unknown.publicId}`,
  ];
  requestsBefore = emulator.requests.length;
});

afterEach(async () => {
  const methods = new Set(emulator.requests.slice(requestsBefore).map(({ method }) => method));
  expect([...methods]).toEqual(['GET']);
  await emulator.stop();
  await rm(folder, { recursive: true });
});

const linesOf = (out: string) => out.trim().split('\n');

describe.skipIf(process.platform === 'win32')('the guide on comparing the books', () => {
  it('loses no finding where the program dies at any line', { timeout: 120_000 }, async () => {
    const before = await readFile(books, 'utf8');
    const lines = [
      ...['connect 1', 'open the books 1', 'sale 1', 'sale 5', 'close the books 1', 'compare 1'],
      ...['read 1', 'finding 1', 'next finding 1', 'finding 3', 'next finding 5'],
      ...['summary 1', 'close 1'],
    ];
    await forEachOf(lines, parallel, async (line) => {
      const died = await runProgram([program, books], { ...variables, KILL_AT: line });
      expect(died.isKilled, line).toBe(true);
      // What it said before it died is true, and said once.
      const said = linesOf(died.out).filter((each) => each !== '' && !each.endsWith('agree'));
      expect(expected, line).toEqual(expect.arrayContaining(said));
      expect(new Set(said).size, line).toBe(said.length);
      const { out } = await runProgram([program, books], { ...variables, KILL_AT: '' });
      const [summary, ...findings] = linesOf(out).reverse();
      expect(findings.sort(), line).toEqual(expected);
      expect(summary).toBe('1 of 5 sales agree');
    });
    expect(await readFile(books, 'utf8')).toBe(before);
  });

  /** The line of the crontab. @returns how it ended, and what it printed. */
  async function runCron(killAt: string): Promise<{ code: number | null; out: string }> {
    const [node, file] = [
      process.execPath,
      join(folder, `sales-${killAt.replace(' ', '-')}.jsonl`),
    ];
    const command = `"${node}" "${exportProgram}" "${books}" > "${file}" && "${node}" "${commandLine}" reconcile "${file}" --json`;
    const child = spawn('/bin/sh', ['-c', command], {
      env: { ...variables, KILL_AT: killAt },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 30_000,
    });
    let out = '';
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out };
  }

  const namesIn = (out: string) =>
    linesOf(out)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .flatMap(({ kind, idempotencyKey, publicIds }) =>
        typeof kind === 'string' ? [`${kind} ${String(idempotencyKey ?? publicIds)}`] : [],
      )
      .sort();

  it('is never green as a cron job whose export dies', { timeout: 120_000 }, async () => {
    await forEachOf(['row 0', 'row 1', 'row 4'], parallel, async (killAt) => {
      const { code, out } = await runCron(killAt);
      expect(out).toBe('');
      expect(code).not.toBe(0);
      expect(code).not.toBe(2);
    });
    const whole = await runCron('');
    expect(whole.code).toBe(2);
    expect(namesIn(whole.out)).toEqual(expected);
  });

  it('is never green where the command dies at any request', { timeout: 120_000 }, async () => {
    for (const request of [1, 4, 9]) {
      const file = join(folder, 'sales.jsonl');
      const rows = JSON.parse(await readFile(books, 'utf8')) as object[];
      await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      let left = request;
      const running: Running = {};
      emulator.faults.on(
        () => (left -= 1) === 0 && running.child?.kill('SIGKILL') === true,
        fault.resetAfterWork(),
        { times: 1 },
      );
      const { isKilled, out } = await runProgram(
        [commandLine, 'reconcile', file, '--json'],
        variables,
        running,
      );
      expect(isKilled).toBe(true);
      expect(out).not.toContain('"summary"');
    }
    expect(namesIn((await runCron('')).out)).toEqual(expected);
  });
});
