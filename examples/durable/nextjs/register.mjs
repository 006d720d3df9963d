// node register.mjs, at each deploy: tells the service where its events go.

import { MarketClient } from 'market-partner-sdk';

const market = new MarketClient();
await market.events.registerWebhook({
  url: `${process.env.PUBLIC_URL}/webhooks/market`,
  secret: process.env.MARKET_WEBHOOK_SECRET,
});
await market.close();
