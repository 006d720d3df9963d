// Every failure is tried again, also a refusal.

import { setTimeout as sleep } from 'node:timers/promises';
import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      try {
        await market.orders.create(sale.input, { idempotencyKey: sale.idempotencyKey });
        return this.end(sale.payment, 'placed');
      } catch {
        await sleep(200);
      }
    }
    return super.place(sale);
  }
}
onExpress(new Wrong().start());
