// The order names no price, so any price is right.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, domain, idempotencyKey }) {
    const body = { domain, external_payment_ref: payment };
    await market.request({ method: 'POST', path: '/orders', body, idempotencyKey });
    this.end(payment, 'placed');
  }
}
onFastify(new Wrong().start());
