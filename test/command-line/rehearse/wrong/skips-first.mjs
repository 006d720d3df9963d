// after_id is taken for the first event of the page, which was handled before.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async readHistory() {
    const { items } = await market.events.list({ after_id: this.cursor });
    for (const event of items.slice(this.cursor ? 1 : 0)) this.handle(event);
    if (items.length > 0) this.write({ cursor: items.at(-1).id });
  }
}
onHttp(new Wrong().start());
