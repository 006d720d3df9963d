// Sells a domain on a page of the service: it collects the payment, you earn the commission.
// The way for partners that are not merchant of record.
//
//   node examples/hosted-checkout.mjs

import { NotFoundError } from 'market-partner-sdk';
import { connect } from './connect.mjs';
import { facts, price, note, row, step, title, withoutToken } from './print.mjs';

const { market, emulator, where, close } = await connect({ scopes: ['search', 'embed', 'report'] });
title('Selling on a hosted checkout page', where);

step('Pick', "market.domains.search('music')");
const [listing, another] = await market.domains.search('music');
if (listing?.domain === undefined) throw new Error('nothing is listed for "music"');
const { domain, price_cents, currency } = listing;
row(domain, price(price_cents, currency));

step('Checkout page', 'market.checkout.createSession(input)');
const session = await market.checkout.createSession({
  domain,
  currency,
  // The page then shows the price that your buyer has seen, or there is no page.
  expected_price: price_cents,
  buyer: { email: 'ada@buyer.example', country: 'GB' },
  return_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/basket',
});
// Redirect the buyer to it (303 See Other). It ends with a token: keep it out of logs.
row('redirect to', withoutToken(session.checkout_url));
row('until', `${session.expires_at ?? 'seven days from now'}`);

if (emulator === undefined) {
  await close();
  note(
    'Open checkout_url in a browser to pay. The sale then appears in orders.listTransactions().',
  );
} else {
  step('The buyer pays', 'on the page, and comes back to return_url');
  row('the page says', await textOf(session.checkout_url));
  emulator.admin.payCheckout(session.checkout_url);
  row('and then', await textOf(session.checkout_url));

  step('The sale is yours', "market.orders.listTransactions({ payment_model: 'hosted_checkout' })");
  const sales = await market.orders.listTransactions({ payment_model: 'hosted_checkout' });
  for (const { status, sale_price_cents, ...sale } of sales.items) {
    row(sale.domain, `${price(sale_price_cents, sale.currency)}, ${status}`);
  }
  row('your commission', price(sales.totals?.commission_cents, sales.totals?.currency));

  step('A second page', 'market.checkout.createSession(input), for what is sold now');
  await market.checkout.createSession({ domain }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
    facts(error);
  });

  step('A page that is not used', 'expires after seven days');
  const unused = await market.checkout.createSession({ domain: another?.domain ?? '' });
  emulator.clock.advance('8 days');
  row('after eight days', await textOf(unused.checkout_url));

  step('The payout', 'market.orders.listPayouts(), after the settlement run');
  emulator.admin.settle();
  for await (const payout of market.orders.listPayouts()) {
    row(payout.source, `${price(payout.amount_cents, payout.currency)} at ${payout.paid_at}`);
  }
  await close();
  note(`${domain} is sold, paid and delivered by the service. Nothing of the payment passed you.`);
}

/** What a person reads on a page. */
async function textOf(url) {
  const response = await fetch(url);
  const page = await response.text();
  return `${response.status} ${page.match(/<h1>(.*?)<\/h1>/s)?.[1] ?? ''}`;
}
