// GET /cron/market, every minute: places orders, reports verdicts, reads the history, handles events.

import { openMarket } from '../../../lib/market.js';
import { hasToken } from '../../../lib/requests.js';

/** Seconds that the platform gives the route: both drains and their last attempts fit. */
export const maxDuration = 60;
export const dynamic = 'force-dynamic';

export async function GET(request) {
  if (!hasToken(request, 'CRON_SECRET')) return new Response(null, { status: 401 });
  const { inbox, outbox, boss } = await openMarket();
  const orders = await outbox.drain({ maxMs: 15_000 });
  const events = await inbox.drain({ maxMs: 15_000 });
  await boss.supervise();
  return Response.json({ orders, events });
}
