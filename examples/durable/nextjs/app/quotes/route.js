// POST /quotes: the buyer asks for a price, which is firm for ten minutes.

import { NotFoundError } from 'market-partner-sdk';
import { openMarket } from '../../lib/market.js';

export async function POST(request) {
  const { domain } = await request.json();
  const { market, pool } = await openMarket();
  const quote = await market.orders.quote({ domain }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  if (quote === undefined) return new Response(null, { status: 404 });
  const { quote_id: id, price_cents: price, currency } = quote;
  if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
  await pool.query('insert into quote values ($1, $2, $3, $4)', [id, domain, price, currency]);
  return Response.json({ id, domain, price, currency });
}
