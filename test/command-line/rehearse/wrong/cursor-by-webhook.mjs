// A delivery moves the cursor of the history, past what was never delivered.

import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    super.handle(event);
    this.write({ cursor: event.id });
  }

  async readHistory() {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for await (const event of market.events.list({ after_id: this.cursor })) this.handle(event);
  }
}
onHono(new Wrong().start());
