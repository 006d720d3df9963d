/** Webhooks with Express 4 and 5: the route comes before express.json(), which would read the body. */

import express from 'express';
import { marketWebhooks } from './market-webhooks.js';

export const app = express();

app.all('/webhooks/market', marketWebhooks.node);

app.use(express.json());
app.post('/echo', (request, response) => void response.json(request.body));
