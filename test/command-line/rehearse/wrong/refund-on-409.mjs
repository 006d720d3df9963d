// The body has the time of the attempt, and what the service says of the other body is taken for a refusal.

import { ConflictError } from 'market-partner-sdk';
import { onHono } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

class Wrong extends Shop {
  async place({ payment, input, idempotencyKey }) {
    const return_url = `https://shop.example/thanks?at=${Date.now()}`;
    const order = { ...input, return_url };
    try {
      await market.orders.create(order, { idempotencyKey, maxRetries: 0 });
      this.end(payment, 'placed');
    } catch (error) {
      if (error instanceof ConflictError) this.end(payment, 'refused');
      throw error;
    }
  }
}
onHono(new Wrong().start());
