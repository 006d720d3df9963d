// The key is made of the domain, which is sold again once it was refunded.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async quote(payment) {
    await super.quote(payment);
    this.write({ sale: { payment, idempotencyKey: `order-${this.sales.get(payment).domain}` } });
  }
}
onFastify(new Wrong().start());
