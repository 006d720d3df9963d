// POST /webhooks/market: stores the event and answers 200. The cron route handles it.

import { openMarket } from '../../../lib/market.js';

export async function POST(request) {
  const { inbox } = await openMarket();
  return inbox.fetch(request);
}
