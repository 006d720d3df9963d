// A response of 2xx that holds no order is a refusal, and the buyer gets the money back.

import { UnexpectedResponseError } from 'market-partner-sdk';
import { onHttp } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    try {
      const order = await market.orders.create(input, { idempotencyKey, maxRetries: 0 });
      this.end(payment, 'placed', order.public_id);
    } catch (error) {
      if (error instanceof UnexpectedResponseError) this.end(payment, 'refused');
      throw error;
    }
  }
}
onHttp(new Wrong().start());
