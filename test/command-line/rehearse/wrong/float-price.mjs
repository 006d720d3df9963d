// The price is kept in units of the currency, and cut to cents again: 512.05 * 100 is 51204.99….

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async quote(payment) {
    await super.quote(payment);
    const { input } = this.sales.get(payment);
    const expected_price = Math.trunc((input.expected_price / 100) * 100);
    this.write({ sale: { payment, input: { ...input, expected_price } } });
  }
}
onFastify(new Wrong().start());
