// The cursor of the history is stored before the events of its page are handled.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async readHistory() {
    const history = await market.events.list({ after_id: this.cursor });
    for await (const { items, nextCursor } of history.pages()) {
      this.write({ cursor: nextCursor });
      for (const event of items) {
        if (event.data.order) await market.orders.get(event.data.order.public_id);
        this.handle(event);
      }
    }
  }
}
onFastify(new Wrong().start());
