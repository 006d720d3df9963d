// The event is handled first, and its signature decides only on the answer.

import { onHttp, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onHttp(shop, (body, signature) => {
  try {
    shop.handle(JSON.parse(body));
  } catch {
    return 400;
  }
  return verified(shop)(body, signature);
});
