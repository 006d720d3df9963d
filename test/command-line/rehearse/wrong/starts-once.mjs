// The jobs start once the history has been read, which is tried once.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  start() {
    this.readHistory().then(
      () => super.start(),
      () => undefined,
    );
    return this;
  }
}
onHttp(new Wrong().start());
