// "Too many requests" is a failure, and the buyer gets the money back.

import { RateLimitError } from 'market-partner-sdk';
import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    try {
      await market.orders.create(input, { idempotencyKey, maxRetries: 0 });
      this.end(payment, 'placed');
    } catch (error) {
      if (error instanceof RateLimitError) this.end(payment, 'refused');
      throw error;
    }
  }
}
onExpress(new Wrong().start());
