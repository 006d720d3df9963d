/** Webhooks with Hono, on any runtime: the handler takes the fetch request as it came. */

import { Hono } from 'hono';
import { marketWebhooks } from './market-webhooks.js';

export const app = new Hono();

app.all('/webhooks/market', (context) => marketWebhooks.fetch(context.req.raw));
