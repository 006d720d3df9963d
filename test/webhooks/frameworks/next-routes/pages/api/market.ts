/** A route of pages/api, which gets node's objects. */

import { createWebhookHandler } from 'market-partner-sdk/webhooks';

export const config = { api: { bodyParser: false } };

export default createWebhookHandler({ secret: 'whsec_public' }).node;
