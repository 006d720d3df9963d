// The state is that of the event that came last. The history is polled ten times a second.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  start() {
    setInterval(() => void this.readHistory().catch(() => undefined), 100);
    return super.start();
  }

  end(payment, state) {
    this.write({ sale: { payment, state } });
  }

  handle(event) {
    const { domain } = event.data.order ?? {};
    const sale = [...this.sales.values()].find((each) => each.domain === domain);
    if (sale && event.type === 'order.transfer_started') this.end(sale.payment, 'placed');
    super.handle(event);
  }
}
onHttp(new Wrong().start());
