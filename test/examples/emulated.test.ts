/** What the examples show with the emulator that they bring along. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleNames, ownRun, runExample, valuesOf } from './run-example.js';
import { parseCsv } from './parse-csv.js';

describe('every example', () => {
  it.each(exampleNames)('%s runs to its end without a variable set', async (name) => {
    const { code, stdout, stderr } = await ownRun(name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('with an emulator of the service on http://127.0.0.1:');
    expect(stdout).not.toMatch(/undefined|NaN|\[object/);
  });

  it.each(exampleNames)('%s prints no secret, signature or token', async (name) => {
    const { stdout } = await ownRun(name);
    expect(stdout).not.toMatch(/msk_|whsec_|v1=|\b[0-9a-f]{64}\b|[?&]pt=[^…]|progress\/[^…]/);
  });

  it.each(exampleNames)('%s numbers its steps', async (name) => {
    const { lines } = await ownRun(name);
    const numbers = lines.flatMap((line) => /^ ?(\d+)\. /.exec(line)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

describe('quickstart', () => {
  it('sells a domain, gets the same order for the same key, and follows it to its delivery', async () => {
    const run = await ownRun('quickstart');
    const [order = '', again] = valuesOf(run, 'order');
    expect(order).toMatch(/^ord_/);
    expect(again).toBe(`${order} (the same one)`);
    expect(valuesOf(run, 'status').at(-1)).toBe('TRANSFER_COMPLETED');
    expect(valuesOf(run, 'order.transfer_completed')).toHaveLength(1);
  });
});

describe('search-and-price', () => {
  it('prices what it finds', async () => {
    const { stdout } = await ownRun('search-and-price');
    expect(stdout.match(/\.(example|test) +\$[\d,]+\.\d\d, from \$/g)).toHaveLength(5);
  });

  it('searches for the words that it is given', async () => {
    const { stdout } = await runExample('search-and-price', { args: ['piano'] });
    expect(stdout).toContain('What is for sale for "piano"');
    expect(stdout).toContain('piano.example');
  });

  it('goes on when nothing is found', async () => {
    const run = await runExample('search-and-price', { args: ['zzzz'] });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'nothing')).toEqual(['is listed for these words']);
  });

  it('tells an unlisted domain, a refused look-up and a wrong input apart', async () => {
    const run = await ownRun('search-and-price');
    expect(run.stdout).toContain('is not for sale: an answer, and no error');
    expect(valuesOf(run, 'NotFoundError')).toEqual(['not_found, outcome: rejected']);
    expect(valuesOf(run, 'InvalidRequestError')).toEqual(['outcome: not_sent']);
  });
});

describe('sell-a-domain', () => {
  it('goes on under one key after the quote has expired, at the price that fell', async () => {
    const run = await ownRun('sell-a-domain');
    expect(valuesOf(run, 'QuoteExpiredError')).toEqual(['quote_expired, outcome: rejected']);
    expect(valuesOf(run, 'the sale is')).toEqual(['placed']);
    expect(valuesOf(run, 'order')).toEqual([expect.stringMatching(/^ord_\w+, EXTERNALLY_PAID$/)]);
    const [paid = ''] = /(?<=paid )\$[\d,.]+/.exec(run.stdout) ?? [];
    const [sold = ''] = valuesOf(run, 'sold at');
    expect(dollars(sold)).toBe(dollars(paid) - 100);
  });
});

describe('resume-after-crash', () => {
  it('places one order though the first run was killed before it stored the answer', async () => {
    const run = await ownRun('resume-after-crash');
    expect(valuesOf(run, 'ended by')).toEqual(['SIGKILL', 'exit code 0']);
    const [first = '', second] = valuesOf(run, 'order');
    expect(first).toMatch(/^ord_/);
    expect(second).toBe(first);
    expect(valuesOf(run, 'in the journal')).toEqual([
      'the key and the input, no order',
      `order ${first}, EXTERNALLY_PAID`,
    ]);
    expect(valuesOf(run, first)).toEqual(['EXTERNALLY_PAID']);
  });

  it('repeats with the key that the first run stored', async () => {
    const [first, second] = valuesOf(await ownRun('resume-after-crash'), 'key');
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  });
});

describe('hosted-checkout', () => {
  it('leads the buyer through the page and shows the commission and the payout', async () => {
    const run = await ownRun('hosted-checkout');
    expect(valuesOf(run, 'the page says')).toEqual([
      expect.stringMatching(/^200 Buy \S+ for [\d.]+ USD\.$/),
    ]);
    expect(valuesOf(run, 'and then')).toEqual([expect.stringMatching(/^200 \S+ is paid\.$/)]);
    const [commission = ''] = valuesOf(run, 'your commission');
    expect(dollars(commission)).toBeGreaterThan(0);
    expect(valuesOf(run, 'hosted_checkout')).toEqual([
      expect.stringContaining(`${commission} at `),
    ]);
  });

  it('shows what a sold domain and an old page end in', async () => {
    const run = await ownRun('hosted-checkout');
    expect(valuesOf(run, 'NotFoundError')).toEqual(['not_found, outcome: rejected']);
    expect(valuesOf(run, 'after eight days')).toEqual(['410 This checkout link has expired.']);
  });
});

describe('brokerage', () => {
  it('finds the case whose opening was not answered, instead of opening a second one', async () => {
    const run = await ownRun('brokerage');
    expect(valuesOf(run, 'ConnectionError')).toEqual(['outcome: unknown']);
    expect(valuesOf(run, 'case')).toEqual([expect.stringMatching(/^case_\w+, OPEN$/)]);
    expect(valuesOf(run, 'wanted-name.example')).toEqual(['yes', 'no: in_case']);
  });

  it('follows the case to the deal, its event and the payout', async () => {
    const run = await ownRun('brokerage');
    expect(valuesOf(run, 'brokerage.case_completed')).toHaveLength(1);
    expect(run.stdout).toContain('COMPLETED, deal');
    expect(valuesOf(run, 'brokerage')).toEqual([expect.stringContaining('$630.00 at ')]);
  });
});

describe('referral-report', () => {
  let folder: string;
  let written: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'market-report-'));
    const path = join(folder, 'sales.csv');
    const run = await runExample('referral-report', { args: [path] });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'written')).toEqual(['20 sales', '30 sales']);
    written = await readFile(path, 'utf8');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes a line for each sale of all pages, with the status of its commission', () => {
    const [header, ...rows] = parseCsv(written);
    expect(header).toEqual([
      'sold_at',
      'sale_id',
      'domain',
      'buyer',
      'amount_cents',
      'commission_cents',
      'currency',
      'commission_status',
    ]);
    expect(rows).toHaveLength(30);
    expect(new Set(rows.map(([, saleId]) => saleId)).size).toBe(30);
    expect(rows.every((row) => row.length === 8 && row.at(-1) === 'accrued')).toBe(true);
    const total = rows.reduce((sum, row) => sum + Number(row[4]), 0);
    expect(total).toBe(3_870_000);
  });

  it('keeps commas, quotes and line breaks of a name in their field', () => {
    const buyers = new Set(parseCsv(written).map((row) => row[3]));
    expect(buyers).toContain('Example, Ada');
    expect(buyers).toContain('Ada "the buyer"');
    expect(buyers).toContain('Ada\nExample');
  });

  it('lets no name become a formula of a spreadsheet', () => {
    const buyers = new Set(parseCsv(written).map((row) => row[3]));
    expect(buyers).toContain("'=1+1");
    expect(buyers).not.toContain('=1+1');
  });

  it('prints the report when it is given no file', async () => {
    const { stdout } = await ownRun('referral-report');
    const report = stdout.slice(stdout.indexOf('sold_at,'), stdout.lastIndexOf('\r\n') + 2);
    expect(parseCsv(report)).toHaveLength(31);
  });
});

describe('react-to-events', () => {
  it('handles each event once, the lost one from the history', async () => {
    const { lines } = await ownRun('react-to-events');
    const handled = lines.filter((line) => line.includes('handled, from'));
    expect(handled.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['order.recorded', 'handled, from a webhook'],
      ['order.transfer_completed', 'handled, from a webhook'],
      ['order.transfer_started', 'handled, from the history'],
      ['order.settled', 'handled, from a webhook'],
    ]);
  });

  it('shows that one delivery came twice and one not at all', async () => {
    const run = await ownRun('react-to-events');
    expect(valuesOf(run, 'order.recorded').filter((each) => each === 'delivered')).toHaveLength(2);
    expect(valuesOf(run, 'order.transfer_started')).toContain('lost');
  });

  it('goes on in the history where it was left', async () => {
    const run = await ownRun('react-to-events');
    expect(valuesOf(run, 'order.settled')).toEqual(['handled, from a webhook', 'done already']);
    expect(valuesOf(run, 'order.recorded').filter((each) => each === 'done already')).toHaveLength(
      1,
    );
  });
});

describe('webhook-receiver', () => {
  it('refuses what is not signed with the secret', async () => {
    const run = await ownRun('webhook-receiver');
    expect(valuesOf(run, 'answered 401')).toEqual(['missing_signature', 'signature_mismatch']);
  });

  it('stays on this machine with the emulator, whatever address is set', async () => {
    const run = await runExample('webhook-receiver', {
      env: { MARKET_WEBHOOK_URL: 'https://shop.example/webhooks/market' },
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).not.toContain('shop.example');
  });

  it('answers each delivery with 200 and works on each event once', async () => {
    const run = await ownRun('webhook-receiver');
    expect(valuesOf(run, 'answered')).toEqual([
      '200 to order.recorded',
      '200 to order.transfer_started',
      '200 to order.transfer_started',
      '200 to order.transfer_completed',
    ]);
    expect(valuesOf(run, 'worked on').map((each) => each.split(' ')[0])).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
    ]);
  });
});

describe('bulk-availability', () => {
  it('shows its progress and waits as long as the service says', async () => {
    const run = await ownRun('bulk-availability');
    expect(run.stdout.match(/\d+ of 120 asked/g)).toEqual([
      '30 of 120 asked',
      '60 of 120 asked',
      '90 of 120 asked',
      '120 of 120 asked',
    ]);
    const [wait = ''] = valuesOf(run, 'the service asks to wait');
    expect(Number.parseFloat(wait)).toBeGreaterThanOrEqual(1);
  });

  it('has an answer for every name but the one that is none', async () => {
    const run = await ownRun('bulk-availability');
    expect(run.stdout).toMatch(/For sale +[1-9]\d* of 120, the cheapest first/);
    expect(run.stdout).toMatch(/No answer +1 of 120/);
    expect(run.stdout).toContain('InvalidRequestError, outcome: not_sent');
  });

  it('reads the names of a file, each of them once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'market-names-'));
    try {
      const path = join(folder, 'names.txt');
      await writeFile(path, 'brew.example\r\n\r\nnobody.example\nbrew.example\n');
      const run = await runExample('bulk-availability', { args: [path] });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toContain('Is it for sale? 2 names');
      expect(valuesOf(run, 'brew.example')).toEqual(['$2,500.00']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('tracing', () => {
  it('prints the calls of a request as a tree, each with its attempts', async () => {
    const { lines } = await ownRun('tracing');
    const tree = lines
      .filter((line) => / ms( |$)/.test(line))
      .map((line) => line.slice(0, 40).trimEnd());
    expect(tree).toEqual([
      'POST /basket/buy',
      '├─ domains.search',
      '│  ├─ attempt 1',
      '│  └─ attempt 2',
      '├─ domains.getPricing',
      '│  └─ attempt 1',
      '├─ domains.checkAvailability',
      '│  └─ attempt 1',
      '├─ orders.create',
      '│  ├─ attempt 1',
      '│  └─ attempt 2',
      '└─ domains.getPricing',
      '   └─ attempt 1',
    ]);
  });

  it('shows how each ended', async () => {
    const { stdout } = await ownRun('tracing');
    expect(stdout).toMatch(/orders\.create .* ms {2}201 after 2 attempts, key [0-9a-f-]{36}\n/);
    expect(stdout).toMatch(/attempt 1 .* ms {2}connection_lost\n/);
    expect(stdout).toMatch(/attempt 2 .* ms {2}(after a wait of \d+ ms, )?201, \S+\n/);
    expect(stdout).toMatch(/ms {2}404 after 1 attempt, NotFoundError, outcome: rejected\n/);
  });
});

function dollars(amount: string): number {
  return Number(amount.replace(/[$,]/g, ''));
}
