import { execFile } from 'node:child_process';
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
