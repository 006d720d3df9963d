// A withdrawal is sent to the service, and what it answered is forgotten.

import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async withdraw(payment) {
    const { orderId } = this.sales.get(payment);
    await market.orders.refund({ public_id: orderId, reason: 'withdrawn' }).catch(() => undefined);
    return this.ask(payment);
  }

  handle(event) {
    this.write({ seen: event.id });
  }
}
onHono(new Wrong().start());
