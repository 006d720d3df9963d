// A sale whose quote failed is set aside, and nobody comes back to it.

import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async quote(payment) {
    const { domain } = this.sales.get(payment);
    try {
      await market.orders.quote({ domain, currency: 'USD' }, { maxRetries: 0 });
      await super.quote(payment);
    } catch (error) {
      this.write({ sale: { payment, state: 'failed' } });
      throw error;
    }
  }

  ask(payment) {
    const state = super.ask(payment);
    return state === 'failed' ? 'open' : state;
  }
}
onHono(new Wrong().start());
