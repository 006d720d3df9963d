// A 404 is "no such domain", whoever sent it.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    try {
      await market.orders.create(input, { idempotencyKey });
      this.end(payment, 'placed');
    } catch (error) {
      if (error.response?.status === 404) this.end(payment, 'refused');
      throw error;
    }
  }
}
onHttp(new Wrong().start());
