// The cursor is moved to each event before that is handled.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async readHistory() {
    for await (const event of market.events.list({ after_id: this.cursor })) {
      this.write({ cursor: event.id });
      if (event.type === 'order.refunded') await market.orders.get(event.data.order.public_id);
      this.handle(event);
    }
  }
}
onFastify(new Wrong().start());
