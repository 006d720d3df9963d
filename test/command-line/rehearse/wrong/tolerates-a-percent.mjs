// A new quote may cost one percent more than the buyer paid.

import { onHttp } from '../servers.mjs';
import { RequotingShop } from '../shop.mjs';

class Wrong extends RequotingShop {
  async requote({ payment, input }) {
    await this.quote(payment);
    const next = this.sales.get(payment).input;
    if (next.expected_price > input.expected_price * 1.01) return this.end(payment, 'refused');
    await this.placeAgain(payment);
  }
}
onHttp(new Wrong().start());
