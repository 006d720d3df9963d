// POST /quotes: the price for a checkout, which is firm for ten minutes. For your own pages, which have the token.

import { InvalidRequestError, NotFoundError } from 'market-partner-sdk';
import { openMarket } from '../../lib/market.js';
import { hasToken, isId, readBytes, readJson } from '../../lib/requests.js';

const select = 'select * from quote where checkout = $1';
const insert = 'insert into quote values ($1, $2, $3, $4, $5) on conflict do nothing';

export async function POST(request) {
  if (!hasToken(request, 'SHOP_TOKEN')) return new Response(null, { status: 401 });
  const bytes = await readBytes(request);
  if (bytes === undefined) return new Response(null, { status: 413 });
  const { checkout, domain } = readJson(bytes) ?? {};
  if (!isId(checkout)) return new Response(null, { status: 400 });
  const { market, pool } = await openMarket();
  const find = async () => (await pool.query(select, [checkout])).rows[0];
  // It stays, however often it is asked for.
  const stored = await find();
  if (stored !== undefined) return Response.json(stored);
  try {
    const quote = await market.orders.quote({ domain }, { deadlineMs: 10_000 });
    const { quote_id: id, price_cents: price, currency } = quote;
    if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
    await pool.query(insert, [checkout, id, domain, price, currency]);
  } catch (error) {
    if (error instanceof InvalidRequestError) return new Response(null, { status: 400 });
    if (error instanceof NotFoundError) return new Response(null, { status: 404 });
    throw error;
  }
  return Response.json(await find());
}
