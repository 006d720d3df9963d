// A payment is stored, and a moment later given to the worker; the same payment is not given to it again.

import { setTimeout as sleep } from 'node:timers/promises';
import { onHono } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    if (this.sales.has(payment)) return this.ask(payment);
    this.write({ sale: { domain, payment, state: 'stored' } });
    await sleep(50);
    this.write({ sale: { payment, state: 'open', startedAt: Date.now() } });
    return super.sell(domain, payment);
  }

  ask(payment) {
    return this.sales.get(payment)?.state === 'stored' ? 'open' : super.ask(payment);
  }
}
onHono(new Wrong().start());
