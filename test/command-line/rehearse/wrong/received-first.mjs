// The payment provider gets its 200, and the payment is stored a moment later.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  sell(domain, payment) {
    setTimeout(() => void super.sell(domain, payment).catch(() => undefined), 1_500);
    return Promise.resolve('open');
  }
}
onHttp(new Wrong().start());
