/**
 * The shop's program of docs/orders.md, line by line: `node sell.mjs JOURNAL`. It may be started as
 * often as it takes. `KILL_AT` names the line before which it dies of SIGKILL; `PAID` is a price of its own.
 */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { MarketClient, MarketError } from 'market-partner-sdk';

const { KILL_AT: killAt, PAID: paid } = process.env;
const [journal] = process.argv.slice(2);
const payment = 'payment-1001';

// One attempt for each process: the journal, not the client's own retries, must carry the sale.
const market = new MarketClient({ maxRetries: 0 });

line('read the journal');
const sale = await stored();
if (sale === undefined) await sell();
else await complete(sale);
line('close');
await market.close();

/** The section "The steps". */
async function sell() {
  line('quote');
  const quote = await market.orders.quote({ domain: 'brew.example', currency: 'USD' });
  line('store the payment');
  const input = {
    domain: 'brew.example',
    expected_price: paid === undefined ? quote.price_cents : Number(paid),
    currency: 'USD',
    quote_id: quote.quote_id,
    buyer: { email: 'ada@buyer.example', country: 'GB' },
    external_payment_ref: payment,
  };
  const sale = { input, idempotencyKey: payment, startedAt: new Date().toISOString() };
  await store(sale, 'commit the payment');
  line('create');
  let order;
  try {
    order = await market.orders.create(sale.input, { idempotencyKey: sale.idempotencyKey });
  } catch (error) {
    // The section "Resume after a crash": the next run completes what this one leaves open.
    if (error instanceof MarketError) return;
    throw error;
  }
  line('store the order');
  await store({ ...sale, publicId: order.public_id }, 'commit the order');
}

/** The section "Resume after a crash". */
async function complete(sale) {
  if ((sale.publicId ?? sale.refused ?? sale.attention) !== undefined) return;
  line('resume');
  const result = await market.orders.resume(sale);
  line('store the result');
  if (result.state === 'placed') sale.publicId = result.order.public_id;
  if (result.state === 'refused') sale.refused = result.reason;
  if (result.state === 'attention') sale.attention = result.reason;
  await store(sale, 'commit the result');
}

async function stored() {
  const text = await readFile(journal, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** All of it or nothing, as a transaction of a database. */
async function store(sale, commit) {
  await writeFile(`${journal}.new`, JSON.stringify(sale), { flush: true });
  line(commit);
  await rename(`${journal}.new`, journal);
}

function line(name) {
  if (name === killAt) process.kill(process.pid, 'SIGKILL');
}
