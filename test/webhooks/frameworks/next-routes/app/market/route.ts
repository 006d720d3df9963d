/** The shortest route: Next.js checks its type in `next build`, by one check with webpack and another with Turbopack. */

import { createWebhookHandler } from 'market-partner-sdk/webhooks';

export const POST = createWebhookHandler({ secret: 'whsec_public' }).fetch;
