// GET /sales: for your own programs, which have the token. A job of yours pays back each sale with a `pay_back`, and
// each whose event is `order.refunded`, with the payment's id as the refund's idempotency key.

import { openMarket } from '../../lib/market.js';
import { hasToken } from '../../lib/requests.js';

export const dynamic = 'force-dynamic';

export async function GET(request) {
  if (!hasToken(request, 'SHOP_TOKEN')) return new Response(null, { status: 401 });
  const { pool } = await openMarket();
  const { rows } = await pool.query('select * from sale left join progress using (order_id)');
  return Response.json(rows);
}
