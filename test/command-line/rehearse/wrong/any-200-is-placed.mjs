// A status of 2xx is a sale, whatever the body says.

import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    try {
      await market.orders.create(input, { idempotencyKey });
    } catch (error) {
      if (error.response?.status !== 200) throw error;
    }
    this.end(payment, 'placed');
  }
}
onHono(new Wrong().start());
