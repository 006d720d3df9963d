// Each event is read as if it were about an order.

import { onExpress } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    this.lastOrder = event.data.order.public_id;
    super.handle(event);
  }
}
onExpress(new Wrong().start());
