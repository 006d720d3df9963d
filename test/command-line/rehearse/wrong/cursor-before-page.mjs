// The cursor is stored before the events of its page are handled, which calls nothing.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async readHistory() {
    const history = await market.events.list({ after_id: this.cursor });
    for await (const { items, nextCursor } of history.pages()) {
      this.write({ cursor: nextCursor });
      for (const event of items) this.handle(event);
    }
  }
}
onFastify(new Wrong().start());
