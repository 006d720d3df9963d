// Two workers take the same open sale, each with a key of its own.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    const state = this.ask(payment);
    if (state === 'open') await super.sell(domain, payment);
    return this.ask(payment);
  }

  async place({ payment, input }) {
    const work = (name) =>
      market.orders.create(input, { idempotencyKey: `${payment}-${name}`, maxRetries: 0 });
    await Promise.all([work('a'), work('b')]);
    this.end(payment, 'placed');
  }
}
onExpress(new Wrong().start());
