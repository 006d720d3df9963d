// The quote has expired: another one is ordered under the key of the first.

import { QuoteExpiredError } from 'market-partner-sdk';
import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    try {
      await market.orders.create(input, { idempotencyKey });
      this.end(payment, 'placed');
    } catch (error) {
      if (error instanceof QuoteExpiredError) await this.quote(payment);
      throw error;
    }
  }
}
onFastify(new Wrong().start());
