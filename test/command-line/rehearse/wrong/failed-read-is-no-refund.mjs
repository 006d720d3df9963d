// An order that cannot be read at the moment counts as one that was not refunded.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async handle(event) {
    if (event.type === 'order.refunded' && !(await this.isRefunded(event))) {
      return this.write({ seen: event.id });
    }
    super.handle(event);
  }

  async isRefunded({ data }) {
    try {
      const { status } = await market.orders.get(data.order.public_id);
      return ['REFUNDED', 'CANCELLED'].includes(status);
    } catch {
      return false;
    }
  }
}
onFastify(new Wrong().start());
