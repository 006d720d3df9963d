// The payment is stored when the order exists.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    if (this.sales.has(payment)) return super.sell(domain, payment);
    const { price_cents: expected_price } = await market.orders.quote({ domain });
    const input = { domain, expected_price, currency: 'USD', external_payment_ref: payment };
    const sale = { domain, payment, input, idempotencyKey: payment, startedAt: Date.now() };
    const { state } = await market.orders.resume(sale);
    this.write({ sale: { ...sale, state: state === 'attention' ? 'open' : state } });
    return this.ask(payment);
  }
}
onExpress(new Wrong().start());
