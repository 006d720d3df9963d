// A new quote is compared with what was paid as texts are: '104500' comes before '95000'.

import { onExpress } from '../servers.mjs';
import { RequotingShop } from '../shop.mjs';

class Wrong extends RequotingShop {
  async requote({ payment, input }) {
    await this.quote(payment);
    const next = this.sales.get(payment).input;
    if (String(next.expected_price) > String(input.expected_price)) {
      return this.end(payment, 'refused');
    }
    await this.placeAgain(payment);
  }
}
onExpress(new Wrong().start());
