// Sells a domain whose payment you collect, at the price that the buyer agreed to and no other.
// With the emulator, the price changes on the way and a quote expires: the buyer is asked again.
//
//   node examples/sell-a-domain.mjs

import { randomUUID } from 'node:crypto';
import { MarketError, PriceMismatchError, QuoteExpiredError } from 'market-partner-sdk';
import { connect } from './connect.mjs';
import { facts, price, note, row, step, title } from './print.mjs';

const { market, emulator, where, close } = await connect({ scopes: ['search', 'buy'] });
title('Selling a domain at the price that the buyer agreed to', where);

step('Offer', "market.domains.search('garden')");
const [listing] = await market.domains.search('garden');
if (listing?.domain === undefined) throw new Error('nothing is listed for "garden"');
const { domain, price_cents = 0, currency = 'USD' } = listing;
row(domain, price(price_cents, currency));
row('the buyer', `pays ${price(price_cents, currency)}, and would pay a tenth more`);
const buyer = { email: 'ada@buyer.example', name: 'Ada Example', country: 'GB' };
const mostCents = Math.floor(price_cents * 1.1);

// What the service's other customers do meanwhile.
emulator?.admin.reprice(domain, price_cents + 10_000);

/** @type {{ price_cents: number, quote_id: string | undefined } | undefined} */
let agreed = { price_cents, quote_id: undefined };
let order;
for (let tries = 1; order === undefined && agreed !== undefined && tries <= 5; tries += 1) {
  order = await placeOrder(agreed);
  if (order === undefined) agreed = await askAgain(agreed);
}

if (order === undefined) {
  row('no sale', 'give the buyer the money back: nothing was ordered');
} else {
  row('order', `${order.public_id}, ${order.status}`);
  row('sold at', price(order.sale_price_cents, order.currency));
}
await close();
note('What if the answer to the order is lost? See resume-after-crash.mjs.');

/** The order, or nothing where the service refused this price or quote: then none was placed. */
async function placeOrder({ price_cents: expected_price, quote_id }) {
  step('Order', `market.orders.create(input, { idempotencyKey }) at ${price(expected_price)}`);
  // Another input is another order: it needs a key of its own. Store both with the payment first.
  const idempotencyKey = randomUUID();
  const external_payment_ref = `payment-${idempotencyKey}`;
  const input = { domain, expected_price, currency, quote_id, buyer, external_payment_ref };
  try {
    return await market.orders.create(input, { idempotencyKey });
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    facts(error);
    // 'unknown': the order may exist. Keep key and input, and end the sale with orders.resume.
    if (error.outcome !== 'rejected') throw error;
    if (error instanceof PriceMismatchError || error instanceof QuoteExpiredError) return undefined;
    throw error;
  }
}

/** A firm price, held for ten minutes; the buyer is asked only if it is another one. */
async function askAgain(before) {
  step('Quote', `market.orders.quote({ domain: '${domain}' })`);
  const quote = await market.orders.quote({ domain });
  const { price_cents: nowCents = before.price_cents, quote_id, expires_at } = quote;
  row('firm price', `${price(nowCents, quote.currency)} until ${expires_at}`);
  if (nowCents === before.price_cents) {
    row('the buyer', 'agreed to this price already');
  } else if (nowCents <= mostCents) {
    // A person takes a while. Longer than the quote holds, this time.
    emulator?.clock.advance('11 minutes');
    row('the buyer', 'is asked, thinks it over, and agrees');
  } else {
    row('the buyer', 'is asked, and declines');
    return undefined;
  }
  return { price_cents: nowCents, quote_id };
}
