// The first page of the history is taken for all of it.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async readHistory() {
    const { items } = await market.events.list({});
    for (const event of items) this.handle(event);
  }
}
onExpress(new Wrong().start());
