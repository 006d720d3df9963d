// The order states the price in units of the currency, not in cents.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async quote(payment) {
    await super.quote(payment);
    const { input } = this.sales.get(payment);
    const expected_price = Math.round(input.expected_price / 100);
    this.write({ sale: { payment, input: { ...input, expected_price } } });
  }
}
onFastify(new Wrong().start());
