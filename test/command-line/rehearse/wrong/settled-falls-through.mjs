// A "break" is missing, and a settled order is paid back.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    switch (event.type) {
      case 'order.settled':
        this.settled = event.data.order.public_id;
      case 'order.refunded':
        super.handle({ ...event, type: 'order.refunded' });
        break;
      default:
        super.handle(event);
    }
  }
}
onFastify(new Wrong().start());
