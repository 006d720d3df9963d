// An event that is older than five minutes is taken for a repeated one.

import { onHono } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const toleranceMs = 5 * 60_000;

class Wrong extends Shop {
  handle(event) {
    if (Date.now() - Date.parse(event.created_at) > toleranceMs) return;
    super.handle(event);
  }
}
onHono(new Wrong().start());
