// An order that took too long is refunded, and no one reads what the refund got.

import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    const options = { idempotencyKey, maxRetries: 0, timeoutMs: 3_000 };
    try {
      await market.orders.create(input, options);
      this.end(payment, 'placed');
    } catch (error) {
      const { items } = await market.orders.list({ domain: input.domain });
      if (items.length === 0) throw error;
      const [{ public_id }] = items;
      await market.orders.refund({ public_id, reason: 'too slow' }).catch(() => undefined);
      this.end(payment, 'refused');
    }
  }
}
onHono(new Wrong().start());
