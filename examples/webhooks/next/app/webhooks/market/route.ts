/** Webhooks with Next.js: a route handler, which gets the request unread. */

import { createWebhookHandler, type WebhookHandler } from 'market-partner-sdk/webhooks';

let marketWebhooks: WebhookHandler | undefined;

export async function POST(request: Request): Promise<Response> {
  // Not at load: `next build` loads this file where the secret need not be set.
  marketWebhooks ??= createWebhookHandler({
    secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
    on: {
      'order.settled': (event) => console.log(`settled ${event.data.order.public_id}`),
    },
    onError: (error, { status }) => console.error(`webhook answered ${status}:`, error),
    deduplicate: true,
  });
  return marketWebhooks.fetch(request);
}
