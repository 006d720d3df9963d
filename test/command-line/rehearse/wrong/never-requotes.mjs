// A quote that has expired is sent until it is taken.

import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    await market.orders.create(input, { idempotencyKey });
    this.end(payment, 'placed');
  }
}
onHono(new Wrong().start());
