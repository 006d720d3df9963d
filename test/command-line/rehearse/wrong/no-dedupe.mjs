// Each delivery sets the state, as if it were new.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  end(payment, state) {
    this.write({ sale: { payment, state } });
  }

  handle(event) {
    if (event.type === 'order.recorded') {
      const sale = [...this.sales.values()].find(
        ({ domain }) => domain === event.data.order.domain,
      );
      if (sale) this.end(sale.payment, 'placed');
    }
    super.handle(event);
  }
}
onFastify(new Wrong().start());
