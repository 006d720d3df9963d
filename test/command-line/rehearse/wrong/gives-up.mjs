// After a few attempts that failed the buyer gets the money back.

import { NotFoundError } from 'market-partner-sdk';
import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

const mostAttempts = 8;

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey, attempts = 0 }) {
    this.write({ sale: { payment, attempts: attempts + 1 } });
    try {
      await market.orders.create(input, { idempotencyKey, maxRetries: 1 });
      this.end(payment, 'placed');
    } catch (error) {
      const isOver = attempts >= mostAttempts || error instanceof NotFoundError;
      if (isOver) this.end(payment, 'refused');
    }
  }
}
onHttp(new Wrong().start());
