// Places an order once, though the program dies after it sent the order and before it stored the response.
// The shop's program runs twice as a process of its own. The first run is killed; the second finds
// the key and the input that the first one stored, sends both again, and gets the same order.
//
//   node examples/resume-after-crash.mjs

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './connect.mjs';
import { note, row, step, title } from './print.mjs';

const self = fileURLToPath(import.meta.url);
const [journal, manner] = process.argv.slice(2);
if (journal === undefined) await showBothRuns();
else await sell(journal, { dies: manner === 'dies' });

/** The shop's program. It may be started as often as you like, and sells once. */
async function sell(path, { dies }) {
  const { market, close } = await connect();
  const sale = (await stored(path)) ?? (await newSale(market));
  row('key', sale.idempotencyKey);
  // Before the order is sent: what is needed to send it again.
  await store(path, sale);
  try {
    const result = await market.orders.resume(sale);
    row('state', result.state);
    if (result.state === 'placed') row('order', result.order.public_id);
    // The power fails: the order is placed, and its response is stored nowhere.
    if (dies && result.state === 'placed') process.kill(process.pid, 'SIGKILL');
    if (result.state === 'placed') {
      await store(path, { ...sale, order: result.order });
    } else if (result.state === 'refused') {
      // There is no order: pay the buyer back. This sale is over.
      await rm(path);
      throw result.error;
    } else {
      // 'open': the next run tries again. 'attention': a person must look at the candidates.
      throw new Error(`the sale is ${result.state}: the journal keeps it`);
    }
  } finally {
    await close();
  }
}

async function newSale(market) {
  const [listing] = await market.domains.search('travel');
  if (listing === undefined) throw new Error('nothing is listed for "travel"');
  const { domain, price_cents: expected_price, currency } = listing;
  const idempotencyKey = randomUUID();
  const input = { domain, expected_price, currency, external_payment_ref: idempotencyKey };
  return { idempotencyKey, input, startedAt: new Date().toISOString() };
}

async function stored(path) {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** All of it or nothing: a crash while writing leaves the file as it was. In a shop, a database. */
async function store(path, sale) {
  await writeFile(`${path}.new`, JSON.stringify(sale), { flush: true });
  await rename(`${path}.new`, path);
}

async function showBothRuns() {
  const { market, where, variables, close } = await connect({ scopes: ['search', 'buy'] });
  const folder = await mkdtemp(join(tmpdir(), 'market-sale-'));
  const path = join(folder, 'sale.json');
  title('One order, though the program dies in the middle', where);
  try {
    step('First run', 'stores key and input, sends the order, dies before it stores the response');
    row('ended by', await run([path, 'dies'], variables));
    const left = await stored(path);
    if (left === undefined) throw new Error('the first run placed no order: it says why above');
    row(
      'in the journal',
      left.order === undefined ? 'the key and the input, no order' : 'an order',
    );

    step('Second run', 'the same program: finds both, and resumes the same sale');
    row('ended by', await run([path], variables));
    const { order, input } = await stored(path);
    row('in the journal', `order ${order.public_id}, ${order.status}`);

    step('At the service', `market.orders.list({ domain: '${input.domain}' })`);
    const placed = await market.orders.list({ domain: input.domain }).toArray({ limit: 10 });
    for (const { public_id, status } of placed) row(public_id, status);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await close();
  }
  note('Two runs, one order. The key was stored before the order was sent: that is all it takes.');
}

/** What ended the run: a signal, or an exit code. */
async function run(args, variables) {
  const child = spawn(process.execPath, [self, ...args], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  return signal ?? `exit code ${code}`;
}
