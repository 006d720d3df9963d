/** Webhooks with NestJS: `request.rawBody` is verified, so `rawBody: true` must be set in main.ts. */

import { All, Controller, Req, Res, type RawBodyRequest } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';

const marketWebhooks = createWebhookHandler({
  secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
  on: {
    'order.settled': (event) => console.log(`settled ${event.data.order.public_id}`),
  },
  onError: (error, { status }) => console.error(`webhook answered ${status}:`, error),
  deduplicate: true,
});

@Controller('webhooks/market')
export class MarketWebhooksController {
  @All()
  receive(@Req() request: RawBodyRequest<Request>, @Res() response: Response): Promise<void> {
    return marketWebhooks.node(request, response);
  }
}
