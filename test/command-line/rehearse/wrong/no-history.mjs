// Webhooks alone.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  readHistory() {
    return Promise.resolve();
  }
}
onHttp(new Wrong().start());
