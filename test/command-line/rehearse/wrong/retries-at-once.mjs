// What fails is sent again at once.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    for (;;) {
      try {
        await market.orders.create(input, { idempotencyKey, maxRetries: 0 });
        return this.end(payment, 'placed');
      } catch (error) {
        if (error.outcome !== 'unknown') throw error;
      }
    }
  }
}
onFastify(new Wrong().start());
