// Only an order with the status REFUNDED is paid back, and a cancelled one has another.

import { onHono } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    if (event.data.order?.status === 'CANCELLED') return;
    super.handle(event);
  }
}
onHono(new Wrong().start());
