// A 500 is a failure, and the buyer gets the money back.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    try {
      await market.orders.create(input, { idempotencyKey, maxRetries: 0 });
      this.end(payment, 'placed');
    } catch (error) {
      if (error.response?.status === 500) this.end(payment, 'refused');
      throw error;
    }
  }
}
onExpress(new Wrong().start());
