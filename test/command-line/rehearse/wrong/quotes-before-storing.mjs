// The answer is given at once, and what is stored waits for a quote.

import { onExpress } from '../servers.mjs';
import { Shop } from '../shop.mjs';
import { market } from '../shop.mjs';

class Wrong extends Shop {
  sell(domain, payment) {
    const stored = this.sales.has(payment) ? Promise.resolve() : market.orders.quote({ domain });
    void stored.then(() => super.sell(domain, payment)).catch(() => undefined);
    return Promise.resolve(this.ask(payment));
  }
}
onExpress(new Wrong().start());
