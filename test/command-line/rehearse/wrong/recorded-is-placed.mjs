// "The order is recorded" makes the sale a placed one, whatever it was before.

import { onExpress } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    const { domain } = event.data.order ?? {};
    const sale = [...this.sales.values()].find((each) => each.domain === domain);
    if (sale && event.type === 'order.recorded' && !this.seen.has(event.id)) {
      this.write({ sale: { payment: sale.payment, state: 'placed' } });
    }
    super.handle(event);
  }
}
onExpress(new Wrong().start());
