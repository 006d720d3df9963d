/** Webhooks with node:http. */

import { createServer } from 'node:http';
import { marketWebhooks } from './market-webhooks.js';

export const server = createServer((request, response) => {
  if (request.url === '/webhooks/market') {
    void marketWebhooks.node(request, response);
    return;
  }
  response.writeHead(404).end();
});
