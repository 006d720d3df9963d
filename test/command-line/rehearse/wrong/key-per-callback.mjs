// Each call of the payment provider is a sale of its own.

import { randomUUID } from 'node:crypto';
import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    this.write({ sale: { domain, payment, state: 'open', startedAt: Date.now() } });
    const { price_cents: expected_price } = await market.orders.quote({ domain });
    await market.orders.create({ domain, expected_price }, { idempotencyKey: randomUUID() });
    this.end(payment, 'placed');
    return 'placed';
  }
}
onHono(new Wrong().start());
