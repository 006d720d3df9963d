// At SIGTERM a sale that is under way is put back, and the next start sells it anew.

import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop();
process.once('SIGTERM', () => {
  for (const { payment, state } of shop.sales.values()) {
    if (state !== 'open') continue;
    shop.write({ sale: { payment, idempotencyKey: `${payment}-again`, sent: false } });
  }
  process.exit();
});
onHttp(shop.start());
