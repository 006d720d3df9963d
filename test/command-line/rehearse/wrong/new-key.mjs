// A retry of the program's own has a new key.

import { randomUUID } from 'node:crypto';
import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input }) {
    const attempt = () =>
      market.orders.create(input, { idempotencyKey: randomUUID(), maxRetries: 0 });
    await attempt().catch(attempt);
    this.end(payment, 'placed');
  }
}
onExpress(new Wrong().start());
