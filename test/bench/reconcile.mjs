// Question: what does a comparison of the books cost, next to the diff that partners write by hand?

import { MarketClient } from 'market-partner-sdk';
import { table, whole } from './table.mjs';

const count = 100_000;
const days = 5;
const pageSize = 100;
const dayMs = 86_400_000;
const nowMs = Date.parse('2026-11-21T00:00:00Z');
const fromMs = nowMs - days * dayMs;
const everyMs = Math.floor((days * dayMs - 3_600_000) / count);
const at = (index) => new Date(fromMs + index * everyMs).toISOString();

export async function reconcile() {
  const rows = [];
  for (const [name, compare] of Object.entries({
    'orders.reconcile': byReconcile,
    'a Map, by hand': byHand,
  })) {
    // The first run loads and compiles the client.
    await measure(name, compare);
    rows.push(await measure(name, compare));
  }
  table(
    `${whole(count)} sales against ${whole(count)} orders, in pages of ${pageSize}`,
    ['contender', 'orders/s', 'CPU us per order', 'heap over the start, MB', 'bytes per sale'],
    rows,
  );
}

async function measure(name, compare) {
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_bench',
    secret: 'bench',
    fetch: async (address) => new Response(listOrders(new URL(address).searchParams), { headers }),
    clock: () => nowMs,
  });
  globalThis.gc();
  const before = used();
  let peak = before;
  let pages = 0;
  const onPage = () => {
    pages += 1;
    if (pages % 100 !== 0) return;
    globalThis.gc();
    peak = Math.max(peak, used());
  };
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const differences = await compare(market, onPage);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  await market.close();
  if (differences !== 0) throw new Error(`${name} found ${differences} differences`);
  const grown = peak - before;
  return [
    name,
    whole((count / ms) * 1_000),
    whole((user + system) / count),
    (grown / 1e6).toFixed(1),
    whole(grown / count),
  ];
}

async function byReconcile(market, onProgress) {
  const books = { sales: sales(), from: fromMs, to: nowMs };
  return (await market.orders.reconcile(books, { onProgress }).toArray()).length;
}

/** What the public projects of the field do: it proves nothing about the list. */
async function byHand(market, onPage) {
  const orders = new Map();
  for await (const page of market.orders.list({ from: new Date(fromMs) }).pages()) {
    for (const order of page.items) orders.set(order.external_payment_ref, order);
    onPage();
  }
  let differences = 0;
  for (const { input, status } of sales()) {
    const order = orders.get(input.external_payment_ref);
    const agrees = order?.sale_price_cents === input.expected_price && order.status === status;
    if (!agrees) differences += 1;
  }
  return differences;
}

function* sales() {
  for (let index = 0; index < count; index += 1) {
    const key = `payment-${String(index).padStart(8, '0')}`;
    yield {
      input: {
        domain: `name-${index}.example`,
        expected_price: 250_000,
        currency: 'USD',
        external_payment_ref: key,
      },
      idempotencyKey: key,
      startedAt: at(index),
      state: 'placed',
      publicId: publicId(index),
      status: 'EXTERNALLY_PAID',
    };
  }
}

const headers = { 'content-type': 'application/json' };
const publicId = (index) => `ord_${String(index).padStart(8, '0')}`;

function listOrders(query) {
  const indexOf = (time, otherwise) =>
    time === null ? otherwise : Math.ceil((Date.parse(time) - fromMs) / everyMs);
  const begin = Math.max(Number(query.get('cursor') ?? 0), indexOf(query.get('from'), 0));
  const end = Math.min(count, indexOf(query.get('to'), count));
  const data = [];
  for (let index = begin; index < Math.min(end, begin + pageSize); index += 1) {
    data.push({
      public_id: publicId(index),
      domain: `name-${index}.example`,
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 250_000,
      currency: 'USD',
      created_at: at(index),
      updated_at: at(index),
      external_payment_ref: `payment-${String(index).padStart(8, '0')}`,
    });
  }
  const next = begin + pageSize;
  return JSON.stringify({ data, next_cursor: next < end ? String(next) : null });
}

function used() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
