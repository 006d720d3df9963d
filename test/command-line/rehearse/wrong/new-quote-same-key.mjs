// Each attempt takes a new quote, and so the key has another body.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, idempotencyKey }) {
    await this.quote(payment);
    const { input } = this.sales.get(payment);
    await market.orders.create(input, { idempotencyKey, maxRetries: 0 });
    this.end(payment, 'placed');
  }
}
onFastify(new Wrong().start());
