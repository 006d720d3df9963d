// The nightly question: do the books agree with the service? Five sales in a SQLite database; the books
// are wrong about four of them.
//
//   node examples/durable/reconcile.mjs

import { connect } from '../connect.mjs';
import { note, title } from '../print.mjs';

const { DatabaseSync } = await import('node:sqlite').catch(() => {
  console.error('This example keeps its books in node:sqlite: run it with Node 22.13 or later.');
  process.exit(1);
});
const { market, emulator, where, close } = await connect({ scopes: ['buy', 'search'] });
if (emulator === undefined) {
  await close();
  console.error(
    'This example plants mistakes: unset MARKET_BASE_URL, so that an emulator is used.',
  );
  process.exit(1);
}
title('Do the books agree?', where);

const books = new DatabaseSync(':memory:');
books.exec(`create table sale (
  payment text primary key, domain text, price integer, started_at text,
  state text, public_id text, status text)`);
const store = books.prepare('insert into sale values (?, ?, ?, ?, ?, ?, ?)');

/** Sells a domain, and writes down what a partner believes about it. */
async function sell(payment, domain, believed = {}) {
  emulator.admin.list({ domain, price_cents: 86_000 });
  const startedAt = new Date(market.now()).toISOString();
  const input = { domain, expected_price: 86_000, external_payment_ref: payment };
  const order = await market.orders.create(input, { idempotencyKey: payment });
  const { state = 'placed', status = order.status, price = 86_000 } = believed;
  store.run(payment, domain, price, startedAt, state, order.public_id, status);
  return order;
}

await sell('payment-1', 'right.example');
await sell('payment-2', 'paid-back.example', { state: 'refused' });
await sell('payment-3', 'other-price.example', { price: 68_000 });
const { public_id: refunded } = await sell('payment-4', 'refunded.example');
emulator.admin.refund(refunded);
const lost = new Date(market.now()).toISOString();
store.run('payment-5', 'lost.example', 86_000, lost, 'placed', null, null);
emulator.clock.advance('1 day');

/** The books, one row after the other. */
function* sales() {
  for (const sale of books.prepare('select * from sale').iterate()) {
    const { payment, domain, price, started_at: startedAt, state, public_id: publicId } = sale;
    yield {
      input: { domain, expected_price: price, external_payment_ref: payment },
      idempotencyKey: payment,
      startedAt,
      state,
      publicId,
      status: sale.status,
    };
  }
}

const from = new Date(market.now() - 2 * 24 * 60 * 60_000);
const comparison = market.orders.reconcile({ sales: sales(), from });
for await (const { kind, idempotencyKey, message, nextStep } of comparison) {
  console.log(`${idempotencyKey} ${kind}: ${message}`);
  note(nextStep);
}
const { agreed, sales: compared, notCheckable } = comparison.summary;
console.log(`${agreed} of ${compared} sales agree, ${notCheckable} could not be checked.`);
books.close();
await close();
