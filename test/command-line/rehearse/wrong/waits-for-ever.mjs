// A call has no timeout: a response that never comes is waited for.

import { MarketClient } from 'market-partner-sdk';
import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const patient = new MarketClient({ timeoutMs: 86_400_000 });

class Wrong extends Shop {
  async place(sale) {
    await patient.orders.create(sale.input, { idempotencyKey: sale.idempotencyKey });
    this.end(sale.payment, 'placed');
  }
}
onFastify(new Wrong().start());
