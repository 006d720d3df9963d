// A client for each attempt, none of which knows of the 429 of the one before.

import { MarketClient, RateLimitError } from 'market-partner-sdk';
import { onHono } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const market = new MarketClient({ maxRetries: 0, deadlineMs: 1_000 });
      try {
        await market.orders.create(sale.input, { idempotencyKey: sale.idempotencyKey });
        return this.end(sale.payment, 'placed');
      } catch (error) {
        if (!(error instanceof RateLimitError)) break;
      } finally {
        await market.close();
      }
    }
    return super.place({ ...sale, sent: true });
  }
}
onHono(new Wrong().start());
