// The order at a new price has another key each time it is sent.

import { randomUUID } from 'node:crypto';
import { PriceMismatchError, QuoteExpiredError } from 'market-partner-sdk';
import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    if (sale.isRequoted) return this.placeAgain(sale);
    try {
      await super.place(sale);
    } catch (error) {
      const isRefused = error instanceof PriceMismatchError || error instanceof QuoteExpiredError;
      if (!isRefused) throw error;
      await this.requote(sale);
    }
  }

  async requote({ payment, input }) {
    await this.quote(payment);
    const next = this.sales.get(payment);
    if (next.input.expected_price > input.expected_price) return this.end(payment, 'refused');
    this.write({ sale: { payment, isRequoted: true } });
    await this.placeAgain(next);
  }

  async placeAgain({ payment, input }) {
    await market.orders.create(input, { idempotencyKey: randomUUID(), maxRetries: 0 });
    this.end(payment, 'placed');
  }
}
onHttp(new Wrong().start());
