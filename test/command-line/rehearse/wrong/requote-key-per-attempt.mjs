// The order at a new price has another key each time it is sent.

import { randomUUID } from 'node:crypto';
import { onHttp } from '../servers.mjs';
import { market, RequotingShop } from '../shop.mjs';

class Wrong extends RequotingShop {
  place(sale) {
    return sale.isRequoted ? this.placeNext(sale) : super.place(sale);
  }

  async requote({ payment, input }) {
    await this.quote(payment);
    const next = this.sales.get(payment);
    if (next.input.expected_price > input.expected_price) return this.end(payment, 'refused');
    this.write({ sale: { payment, isRequoted: true } });
    await this.placeNext(next);
  }

  async placeNext({ payment, input }) {
    await market.orders.create(input, { idempotencyKey: randomUUID(), maxRetries: 0 });
    this.end(payment, 'placed');
  }
}
onHttp(new Wrong().start());
