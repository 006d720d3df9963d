// A buyer who withdraws is paid back, whatever the service says.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async withdraw(payment) {
    await super.withdraw(payment).catch(() => this.end(payment, 'refused'));
    return this.ask(payment);
  }
}
onHttp(new Wrong().start());
