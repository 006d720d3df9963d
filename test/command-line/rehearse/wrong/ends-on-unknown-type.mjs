// A type that the program does not know is thrown where nobody catches it.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const known = ['recorded', 'manual_review_cleared', 'transfer_started', 'refunded'];

class Wrong extends Shop {
  handle(event) {
    if (!known.some((name) => event.type === `order.${name}`)) {
      setImmediate(() => {
        throw new Error(`no such type: ${event.type}`);
      });
    }
    super.handle(event);
  }
}
onHttp(new Wrong().start());
