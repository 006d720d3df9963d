// A new quote is compared with what was paid as texts are: '104500' comes before '95000'.

import { PriceMismatchError, QuoteExpiredError } from 'market-partner-sdk';
import { onExpress } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    try {
      await super.place(sale);
    } catch (error) {
      const isRefused = error instanceof PriceMismatchError || error instanceof QuoteExpiredError;
      if (!isRefused) throw error;
      const { payment, input } = sale;
      await this.quote(payment);
      const next = this.sales.get(payment).input;
      if (String(next.expected_price) > String(input.expected_price)) {
        return this.end(payment, 'refused');
      }
      this.write({ sale: { payment, idempotencyKey: `${payment}-2`, sent: false } });
      await super.place(this.sales.get(payment));
    }
  }
}
onExpress(new Wrong().start());
