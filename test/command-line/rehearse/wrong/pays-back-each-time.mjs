// Each delivery of a refund pays the buyer back.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    super.handle(event);
    const sale = this.saleOf(event.data.order);
    if (event.type !== 'order.refunded' || !sale) return;
    const { paidBack = 0, input } = this.sales.get(sale.payment);
    this.write({ sale: { payment: sale.payment, paidBack: paidBack + input.expected_price } });
  }

  ask(payment) {
    const { paidBack } = this.sales.get(payment) ?? {};
    return paidBack === undefined ? super.ask(payment) : `refused ${paidBack}`;
  }
}
onHttp(new Wrong().start());
