// POST /payments: the webhook of your payment provider. It stores the payment and the order to place; the
// cron route places it. Verify the provider's signature, and that it was the quote's price, first.

import { OutboxConflictError } from 'market-partner-sdk/durable';
import { openMarket } from '../../lib/market.js';

const insertSale = 'insert into sale (payment, domain) values ($1, $2)';
const insertUnknown =
  "insert into sale (payment, pay_back) values ($1, 'unknown_quote') on conflict do nothing";

export async function POST(request) {
  const { payment, quote_id } = await request.json();
  const { outbox, pool } = await openMarket();
  const { rows } = await pool.query('select * from quote where id = $1', [quote_id]);
  if (rows.length === 0) {
    await pool.query(insertUnknown, [payment]);
    return Response.json({ added: false });
  }
  const [{ domain, price, currency }] = rows;
  const order = { domain, expected_price: price, currency, quote_id };
  const write = (client) => client.query(insertSale, [payment, domain]);
  try {
    return Response.json(await outbox.add({ key: payment, order }, { write }));
  } catch (error) {
    if (!(error instanceof OutboxConflictError)) throw error;
    // This payment was stored with another order before. It has that one, and no second.
    return new Response(null, { status: 409 });
  }
}
