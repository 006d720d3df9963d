// GET /sales: for you alone. A job of yours pays back each sale with a `pay_back`, and each whose event is
// `order.refunded`, with the payment's id as the refund's idempotency key.

import { openMarket } from '../../lib/market.js';

export const dynamic = 'force-dynamic';

export async function GET() {
  const { pool } = await openMarket();
  const { rows } = await pool.query('select * from sale left join progress using (order_id)');
  return Response.json(rows);
}
