// One timeout is tried again; the second in a row is taken for a refusal.

import { TimeoutError } from 'market-partner-sdk';
import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey, timeouts = 0 }) {
    try {
      const options = { idempotencyKey, maxRetries: 0, timeoutMs: 2_000 };
      await market.orders.create(input, options);
      this.end(payment, 'placed');
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      this.write({ sale: { payment, timeouts: timeouts + 1 } });
      if (timeouts > 0) this.end(payment, 'refused');
    }
  }
}
onFastify(new Wrong().start());
