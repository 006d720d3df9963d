// The delivery is marked as seen and answered, and the work is done a second later.

import { onExpress } from '../servers.mjs';
import { Shop } from '../shop.mjs';

class Wrong extends Shop {
  handle(event) {
    if (this.seen.has(event.id)) return;
    this.write({ seen: event.id });
    setTimeout(() => {
      this.seen.delete(event.id);
      super.handle(event);
    }, 1_000);
  }
}
onExpress(new Wrong().start());
