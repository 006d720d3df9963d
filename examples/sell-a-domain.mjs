// Sells a domain whose payment you collect, without the outbox: one payment, one key, one order. With the
// emulator, the quote expires and the price falls while the buyer pays; the sale goes on under its key.
//
//   node examples/sell-a-domain.mjs

import { randomUUID } from 'node:crypto';
import { MarketError } from 'market-partner-sdk';
import { connect } from './connect.mjs';
import { facts, price, note, row, step, title } from './print.mjs';

const { market, emulator, where, close } = await connect({ scopes: ['search', 'buy'] });
title('Selling a domain, never above what the buyer paid', where);

step('Offer', "market.domains.search('garden')");
const [listing] = await market.domains.search('garden');
if (listing?.domain === undefined) throw new Error('nothing is listed for "garden"');
const { domain } = listing;
row(domain, price(listing.price_cents, listing.currency));

step('Quote', `market.orders.quote({ domain: '${domain}' })`);
const { price_cents, currency, quote_id, expires_at } = await market.orders.quote({ domain });
if (price_cents === undefined) throw new Error('the quote has no price');
row('firm price', `${price(price_cents, currency)} until ${expires_at}`);

// The buyer has paid. Store this with the payment, before the first call: after a crash it is all you need.
const payment = `payment-${randomUUID()}`;
const buyer = { email: 'ada@buyer.example', name: 'Ada Example', country: 'GB' };
const input = { domain, expected_price: price_cents, currency, quote_id, buyer };
const sale = {
  idempotencyKey: payment,
  input: { ...input, external_payment_ref: payment },
  startedAt: new Date(market.now()),
};
row('the buyer', `paid ${price(price_cents, currency)}`);

// What happens at the service while the buyer pays.
emulator?.clock.advance('11 minutes');
emulator?.admin.reprice(domain, price_cents - 10_000);

step('Order', 'market.orders.create(sale.input, { idempotencyKey })');
let order = await market.orders
  .create(sale.input, { idempotencyKey: sale.idempotencyKey })
  .catch((error) => {
    if (!(error instanceof MarketError)) throw error;
    // One error decides nothing: an earlier call may have placed the order.
    facts(error);
  });

if (order === undefined) {
  step('Resume', "market.orders.resume(sale, { requote: 'at_most_paid' })");
  const result = await market.orders.resume(sale, { requote: 'at_most_paid' });
  row('the sale is', result.state);
  if (result.state === 'placed') order = result.order;
  if (result.state === 'refused') row('no sale', `pay the buyer back: ${result.reason}`);
  if (result.state === 'open') row('not known yet', 'call resume again later, with the same sale');
  if (result.state === 'attention') row('needs manual review', result.reason);
}
if (order !== undefined) {
  row('order', `${order.public_id}, ${order.status}`);
  row('sold at', price(order.sale_price_cents, order.currency));
}
await close();
note('The outbox does all of this for you: docs/never-lose-a-sale.md.');
