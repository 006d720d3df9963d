// A refusal is noted, and nobody pays the buyer back.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  ask(payment) {
    const state = super.ask(payment);
    return state.startsWith('refused') ? 'open' : state;
  }
}
onFastify(new Wrong().start());
