// The payment provider gets its 200 also for a payment that it drops, since the first call was refused.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    try {
      if (!this.sales.has(payment)) await market.orders.quote({ domain, currency: 'USD' });
    } catch {
      return 'received';
    }
    return super.sell(domain, payment);
  }
}
onExpress(new Wrong().start());
