// The buyer of a sale that is not placed at once gets a page for developers.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  async sell(domain, payment) {
    const state = await super.sell(domain, payment);
    return state === 'placed' ? state : JSON.stringify({ state, env: process.env });
  }
}
onHttp(new Wrong().start());
