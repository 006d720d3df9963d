// A Cloudflare Worker that verifies webhooks, and imports no more than that.

import { signWebhook, verifyWebhook } from 'market-partner-sdk/webhooks';

const body = '{"id":"evt_1","type":"order.settled","created_at":"2026-11-21T08:00:00Z","data":{}}';

export default {
  fetch() {
    try {
      return new Response(verifyWebhook(body, signWebhook(body, 'whsec'), 'whsec').id);
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};
