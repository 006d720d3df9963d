// The key is made of the time, anew at each attempt of the job.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input }) {
    const idempotencyKey = `${payment}-${Date.now()}`;
    await market.orders.create(input, { idempotencyKey, maxRetries: 0 });
    this.end(payment, 'placed');
  }
}
onExpress(new Wrong().start());
