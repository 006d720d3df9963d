// Sells a domain from end to end: search, quote, order, transfer, delivery, events.
//
//   npm run quickstart

import { randomUUID } from 'node:crypto';
import { connect } from './connect.mjs';
import { price, note, row, step, title } from './print.mjs';

const { market, emulator, where, close } = await connect({
  scopes: ['search', 'buy', 'webhook'],
});

title('Selling a domain through the Partner Domain Marketplace', where);

step('Search', "market.domains.search('coffee shop')");
const listings = await market.domains.search('coffee shop');
for (const { domain, price_cents, currency } of listings) row(domain, price(price_cents, currency));
const [pick] = listings;
if (pick?.domain === undefined) throw new Error('nothing is listed for "coffee shop"');

step('Quote', `market.orders.quote({ domain: '${pick.domain}' })`);
const quote = await market.orders.quote({ domain: pick.domain });
row('firm price', price(quote.price_cents, quote.currency));
if (quote.price_cents === undefined) throw new Error('the quote has no price');
row('held until', `${quote.expires_at} (ten minutes)`);

// Store the key with your payment before you place the order: after a crash,
// the same input with the same key finds the order instead of placing a second one.
const idempotencyKey = randomUUID();
const input = {
  domain: pick.domain,
  expected_price: quote.price_cents,
  currency: quote.currency,
  quote_id: quote.quote_id,
  buyer: { email: 'ada@buyer.example', name: 'Ada Example', country: 'GB' },
  external_payment_ref: 'payment-1001',
};

step('Order', 'market.orders.create(input, { idempotencyKey })');
const order = await market.orders.create(input, { idempotencyKey });
row('order', order.public_id);
row('status', order.status);
row('sale price', price(order.sale_price_cents, order.currency));

step('The same order again', 'as after a crash: same input, same key');
const again = await market.orders.create(input, { idempotencyKey });
row('order', `${again.public_id} ${again.public_id === order.public_id ? '(the same one)' : ''}`);

if (emulator === undefined) {
  note('The transfer is up to the service now. Follow it with market.orders.waitFor or webhooks.');
} else {
  step('Transfer', "market.orders.waitFor(id, { until: 'TRANSFER_COMPLETED' })");
  // What the service's staff would do meanwhile.
  emulator.admin.startTransfer(order.public_id);
  setTimeout(() => emulator.admin.completeTransfer(order.public_id), 150);
  let seen;
  const delivered = await market.orders.waitFor(order.public_id, {
    until: 'TRANSFER_COMPLETED',
    intervalMs: 50,
    onPoll({ status }) {
      if (status !== seen) row('status', status);
      seen = status;
    },
  });
  for (const { at, status } of delivered.timeline ?? []) row(`  ${at}`, status);

  step('Events', 'market.events.list()');
  for await (const event of market.events.list()) {
    row(event.type, `${event.created_at}  ${event.id}`);
  }
}

await close();
note(`${order.domain} is sold. Next: docs/start-here.md, and examples/ for one file per task.`);
