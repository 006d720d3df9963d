// Each callback works on the payment, also while another one does.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async complete(payment) {
    if (this.ask(payment) !== 'open') return;
    try {
      if (this.sales.get(payment).input === undefined) await this.quote(payment);
      const { input, idempotencyKey } = this.sales.get(payment);
      await market.orders.create(input, { idempotencyKey });
      this.end(payment, 'placed');
    } catch {
      // It stays open, and the next run of the job comes back to it.
    }
  }
}
onHttp(new Wrong().start());
