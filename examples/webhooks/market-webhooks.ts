/** What is done with events. The other files of this folder mount it in one framework each. */

import { createWebhookHandler } from 'market-partner-sdk/webhooks';
import { bookSettlement } from './settlements.js';

export const marketWebhooks = createWebhookHandler({
  secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
  on: {
    'order.settled': (event) => bookSettlement(event.data.order),
  },
  onEvent: (event) => console.log(`not handled: ${event.type}`),
  onError: (error, { status }) => console.error(`webhook answered ${status}:`, error),
  deduplicate: true,
});
