// After a lost response the list decides, whatever it says of itself.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ domain, payment, input, idempotencyKey }) {
    try {
      await market.orders.create(input, { idempotencyKey });
      this.end(payment, 'placed');
    } catch {
      const { items } = await market.orders.list({ domain });
      this.end(payment, items.length > 0 ? 'placed' : 'refused');
    }
  }
}
onExpress(new Wrong().start());
