// A refund is looked up by the order's id, which is stored when the response has arrived.

import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey, sent, ...sale }) {
    if (sent) return super.place({ payment, input, idempotencyKey, sent, ...sale });
    const { public_id } = await market.orders.create(input, { idempotencyKey });
    this.write({ sale: { payment, publicId: public_id } });
    this.end(payment, 'placed');
  }

  handle({ id, type, data }) {
    if (this.seen.has(id)) return;
    const sale = [...this.sales.values()].find(
      ({ publicId }) => publicId === data.order?.public_id,
    );
    if (type === 'order.refunded' && sale) this.end(sale.payment, 'refused');
    this.write({ seen: id });
  }
}
onHttp(new Wrong().start());
