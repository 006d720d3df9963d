// A new quote is taken at any price.

import { onFastify } from '../servers.mjs';
import { RequotingShop } from '../shop.mjs';

class Wrong extends RequotingShop {
  async requote({ payment }) {
    await this.quote(payment);
    await this.placeAgain(payment);
  }
}
onFastify(new Wrong().start());
