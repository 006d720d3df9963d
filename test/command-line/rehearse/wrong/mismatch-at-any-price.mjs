// "The price is another" is answered with that price, whatever the buyer paid.

import { PriceMismatchError } from 'market-partner-sdk';
import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    try {
      await super.place(sale);
    } catch (error) {
      if (!(error instanceof PriceMismatchError)) throw error;
      const { payment, input } = sale;
      const { buy_now_price_cents: expected_price } = await market.domains.getPricing(input.domain);
      const next = { ...input, expected_price, quote_id: undefined };
      this.write({
        sale: { payment, input: next, idempotencyKey: `${payment}-2`, sent: false },
      });
      await super.place(this.sales.get(payment));
    }
  }
}
onExpress(new Wrong().start());
