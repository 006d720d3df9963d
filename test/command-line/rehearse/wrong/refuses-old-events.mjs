// A delivery whose event is older than five minutes is answered 400, however often it comes, and no history is read.

import { onFastify, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const toleranceMs = 5 * 60_000;

class Wrong extends Shop {
  readHistory() {
    return Promise.resolve();
  }
}

const shop = new Wrong().start();
onFastify(shop, (body, signature) => {
  const isOld = Date.now() - Date.parse(JSON.parse(body).created_at) > toleranceMs;
  return isOld ? 400 : verified(shop)(body, signature);
});
