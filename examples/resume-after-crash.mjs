// Places an order once, though the program dies after it sent the order and before it knew the answer.
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
import { MarketError } from 'market-partner-sdk';
import { connect } from './connect.mjs';
import { facts, note, row, step, title } from './print.mjs';

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
    const order = await market.orders.create(sale.input, { idempotencyKey: sale.idempotencyKey });
    row('order', order.public_id);
    // The power goes: the order is placed, and its answer is stored nowhere.
    if (dies) process.kill(process.pid, 'SIGKILL');
    await store(path, { ...sale, order });
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    facts(error);
    // Refused: there is no order, and this sale is over. Else the journal stays for the next run.
    if (error.outcome === 'rejected') await rm(path);
    throw error;
  } finally {
    await close();
  }
}

async function newSale(market) {
  const [listing] = await market.domains.search('travel');
  if (listing === undefined) throw new Error('nothing is listed for "travel"');
  const { domain, price_cents: expected_price, currency } = listing;
  return { idempotencyKey: randomUUID(), input: { domain, expected_price, currency } };
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
    step('First run', 'stores key and input, sends the order, dies before it stores the answer');
    row('ended by', await run([path, 'dies'], variables));
    const left = await stored(path);
    if (left === undefined) throw new Error('the first run placed no order: it says why above');
    row(
      'in the journal',
      left.order === undefined ? 'the key and the input, no order' : 'an order',
    );

    step('Second run', 'the same program: finds both, and sends the same order with the same key');
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
