// Of each page the first event is handled, and the cursor is that of the last.

import { onFastify } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async readHistory() {
    const { items } = await market.events.list({ after_id: this.cursor });
    if (items.length === 0) return;
    this.handle(items[0]);
    this.write({ cursor: items.at(-1).id });
  }
}
onFastify(new Wrong().start());
