// Events wait in a queue for their turn, and the first that fails stays at its head.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  queue = [];

  handle(event) {
    if (this.queue.every(({ id }) => id !== event.id)) this.queue.push(event);
    try {
      for (let [next] = this.queue; next !== undefined; [next] = this.queue) {
        if (next.data.order.public_id) super.handle(next);
        this.queue.shift();
      }
    } catch {
      // It is tried again with the next event.
    }
  }
}
onFastify(new Wrong().start());
