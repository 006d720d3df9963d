// POST /payments: the webhook of your payment provider. It stores the payment and the order to place; the
// cron route places it. Verify the provider's signature, and the amount, first.

import { openMarket } from '../../lib/market.js';

export async function POST(request) {
  const { payment, domain, cents } = await request.json();
  const { outbox } = await openMarket();
  const order = { domain, expected_price: cents, currency: 'USD' };
  const insert = 'insert into sale (payment, domain) values ($1, $2)';
  const write = (client) => client.query(insert, [payment, domain]);
  return Response.json(await outbox.add({ key: payment, order }, { write }));
}
