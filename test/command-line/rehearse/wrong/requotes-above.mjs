// A new quote is taken at any price.

import { PriceMismatchError, QuoteExpiredError } from 'market-partner-sdk';
import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    try {
      await super.place(sale);
    } catch (error) {
      const isRefused = error instanceof PriceMismatchError || error instanceof QuoteExpiredError;
      if (!isRefused) throw error;
      const { payment } = sale;
      await this.quote(payment);
      this.write({ sale: { payment, idempotencyKey: `${payment}-2`, sent: false } });
      await super.place(this.sales.get(payment));
    }
  }
}
onFastify(new Wrong().start());
