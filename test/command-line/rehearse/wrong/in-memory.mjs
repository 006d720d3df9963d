// The books are a Map.

import { onFastify } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  write(entry) {
    this.apply(entry);
  }
}
onFastify(new Wrong().start());
