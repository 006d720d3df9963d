/**
 * The program of docs/reconciliation.md, line by line: `node compare-books.mjs BOOKS`. `KILL_AT` names the
 * line before which it dies of SIGKILL, and with a number the how manieth time.
 */

import { readFile } from 'node:fs/promises';
import { MarketClient } from 'market-partner-sdk';

const passed = new Map();
const dayMs = 24 * 60 * 60_000;

line('connect');
const market = new MarketClient();

async function* salesInBooks() {
  line('open the books');
  for (const sale of JSON.parse(await readFile(process.argv[2], 'utf8'))) {
    line('sale');
    yield sale;
  }
  line('close the books');
}

line('compare');
const comparison = market.orders.reconcile({
  sales: salesInBooks(),
  from: new Date(Date.now() - 7 * dayMs),
});
line('read');
for await (const { kind, idempotencyKey, publicIds } of comparison) {
  line('finding');
  console.log(kind, idempotencyKey ?? publicIds[0]);
  line('next finding');
}
line('summary');
const { agreed, sales } = comparison.summary;
console.log(`${agreed} of ${sales} sales agree`);
line('close');
await market.close();

function line(name) {
  const times = (passed.get(name) ?? 0) + 1;
  passed.set(name, times);
  if (process.env.KILL_AT === `${name} ${times}`) process.kill(process.pid, 'SIGKILL');
}
