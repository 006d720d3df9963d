// POST /payments: the webhook of your payment provider, a payment of a checkout. It stores the payment and the order
// to place. The cron route places it.

import { OutboxConflictError } from 'market-partner-sdk/durable';
import { openMarket } from '../../lib/market.js';
import { isId, isSigned, readBytes, readJson } from '../../lib/requests.js';

const insertSale = 'insert into sale (payment, domain) values ($1, $2)';
const notAsQuoted = `insert into sale (payment, pay_back) values ($1, 'not_as_quoted')
  on conflict do nothing`;

export async function POST(request) {
  const bytes = await readBytes(request);
  if (bytes === undefined) return new Response(null, { status: 413 });
  if (!isSigned(request, bytes)) return new Response(null, { status: 401 });
  const { payment, checkout, amount, currency } = readJson(bytes) ?? {};
  if (!isId(payment) || !isId(checkout)) return new Response(null, { status: 400 });
  const { outbox, pool } = await openMarket();
  const find = async (sql, value) => (await pool.query(sql, [value])).rows[0];
  const quote = await find('select * from quote where checkout = $1', checkout);
  const isPaid = quote !== undefined && quote.price === amount && quote.currency === currency;
  if (!isPaid) await pool.query(notAsQuoted, [payment]);
  const known = await find('select pay_back from sale where payment = $1', payment);
  if (!isPaid || known?.pay_back === 'not_as_quoted') return Response.json({ added: false });
  const { domain, price, id: quote_id } = quote;
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
