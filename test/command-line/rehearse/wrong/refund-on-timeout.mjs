// What did not answer in two seconds is paid back.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    const options = { idempotencyKey, maxRetries: 0, timeoutMs: 2_000 };
    await market.orders.create(input, options).then(
      () => this.end(payment, 'placed'),
      () => this.end(payment, 'refused'),
    );
  }
}
onFastify(new Wrong().start());
