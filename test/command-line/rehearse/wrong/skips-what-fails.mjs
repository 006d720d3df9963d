// The history is read to its end, whatever becomes of its events. A delivery that fails comes again.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async handle(event) {
    if (this.seen.has(event.id)) return;
    if (event.type === 'order.refunded') await market.orders.get(event.data.order.public_id);
    super.handle(event);
  }

  async readHistory() {
    for await (const event of market.events.list({ after_id: this.cursor })) {
      try {
        await this.handle(event);
      } catch (error) {
        console.error(error);
      }
      this.write({ cursor: event.id });
    }
  }
}
onHttp(new Wrong().start());
