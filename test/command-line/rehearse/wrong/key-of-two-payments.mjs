// The key is that of the shop, not of the payment.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input }) {
    await market.orders.create(input, { idempotencyKey: 'order-of-the-shop' });
    this.end(payment, 'placed');
  }
}
onHttp(new Wrong().start());
