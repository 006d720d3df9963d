// One worker sells one payment after the other, and its loop ends with the first that fails.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    if (!this.sales.has(payment)) this.write({ sale: { domain, payment, state: 'open' } });
    return 'open';
  }

  start() {
    const work = async () => {
      for (const { payment, state } of this.sales.values()) {
        if (state === 'open') await this.workOn(payment);
      }
      setTimeout(() => work().catch(console.error), 100);
    };
    work().catch(console.error);
    return this;
  }

  async workOn(payment) {
    if (this.sales.get(payment).input === undefined) await this.quote(payment);
    const { input, idempotencyKey } = this.sales.get(payment);
    await market.orders.create(input, { idempotencyKey, timeoutMs: 2_000, maxRetries: 0 });
    this.end(payment, 'placed');
  }
}
onHttp(new Wrong().start());
