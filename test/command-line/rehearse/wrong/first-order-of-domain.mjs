// After a lost response the first order of the domain is taken for the one that was lost.

import { onExpress } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place(sale) {
    if (!sale.sent) return super.place(sale);
    const { items } = await market.orders.list({ domain: sale.domain });
    const order = items.at(-1);
    if (order === undefined) return super.place(sale);
    const isRefunded = ['REFUNDED', 'CANCELLED'].includes(order.status);
    this.end(sale.payment, isRefunded ? 'refused' : 'placed', order.public_id);
  }
}
onExpress(new Wrong().start());
