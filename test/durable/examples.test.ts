import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findNodeWithSqlite } from './support/find-sqlite.js';

const run = async (name: string, node = process.execPath) =>
  (await promisify(execFile)(node, [`examples/durable/${name}.mjs`])).stdout.trim().split('\n');

it('single-process handles what a webhook told and what it did not', async () => {
  expect(await run('single-process')).toEqual([
    'the webhook is answered 200',
    'brew.example, by webhook',
    'coffee.example, found by the poll',
    '2 events handled',
  ]);
});

const nodeWithSqlite = findNodeWithSqlite();

it.skipIf(nodeWithSqlite === undefined)(
  'crash-demo dies in the middle of an order and shows one order',
  async () => {
    expect(await run('crash-demo', nodeWithSqlite)).toEqual([
      'the shop ended with SIGKILL',
      'payment-1001 is an order, EXTERNALLY_PAID',
      'the shop ended with 0',
      'orders at the service: 1',
    ]);
  },
);

it.skipIf(nodeWithSqlite === undefined)(
  'reconcile finds the four mistakes in five sales of a SQLite database',
  async () => {
    const lines = await run('reconcile', nodeWithSqlite);
    const found = lines.flatMap((line) => /^(payment-\d \w+): /.exec(line)?.[1] ?? []);
    expect(found.sort()).toEqual([
      'payment-2 order_of_a_refused_sale',
      'payment-3 amount_differs',
      'payment-4 behind',
      'payment-5 missing_at_service',
    ]);
    expect(lines.at(-1)).toBe('1 of 5 sales agree, 0 could not be checked.');
  },
);

it('crash-demo says what it needs, and exits with 1, on a Node without SQLite', async () => {
  const hidden = process.versions.node.startsWith('20.') ? [] : ['--no-experimental-sqlite'];
  const ran = promisify(execFile)(process.execPath, [...hidden, 'examples/durable/crash-demo.mjs']);
  await expect(ran).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^This example needs node:sqlite/) as string,
  });
});

it('relay hands the history on to a queue, whose failure loses nothing', async () => {
  expect(await run('relay')).toEqual([
    'in the queue: 2',
    'the poll failed: the queue is down',
    'in the queue: 2',
    'brew.example order.recorded',
    'brew.example order.transfer_started',
    'brew.example order.transfer_completed',
    'coffee.example order.recorded',
  ]);
});

it('serverless-drain places, reports and handles within a request', async () => {
  const idle = { placed: 0, refused: 0, refunded: 0, notRefunded: 0, attention: 0, left: 0 };
  const none = { handled: 0, failed: 0, dead: 0, left: 0 };
  const drained = (orders: object, events: object) => JSON.stringify({ orders, events });
  expect(await run('serverless-drain')).toEqual([
    'payment-1 is answered 202',
    'payment-2 is answered 202',
    'without the secret: 401',
    'payment-1 is placed: brew.example',
    'payment-2 is refused: price_mismatch',
    'recorded: brew.example',
    `first drain: ${drained({ ...idle, placed: 1, refused: 1 }, { ...none, handled: 1 })}`,
    `second drain: ${drained(idle, none)}`,
  ]);
});

const programs = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!node_modules.*)\.m?[jt]s$/.test(name))
  .map((name) => [name, readFileSync(join('examples', name), 'utf8')] as const)
  .filter(([, text]) =>
    ['createOrderOutbox({', 'createEventInbox({'].every((it) => text.includes(it)),
  );

it.each(programs)('%s: an event that comes before onPlaced waits', (_name, text) => {
  expect(programs.length).toBeGreaterThan(3);
  const [, options] = text.split('createEventInbox({');
  expect(options).toMatch(/^ +outbox,$/m);
});
