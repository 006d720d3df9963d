// The loop that reads the history ends with the first read that fails.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  readHistory() {
    this.history ??= super.readHistory();
    return this.history.then(() => {
      this.history = undefined;
    });
  }
}
onHttp(new Wrong().start());
