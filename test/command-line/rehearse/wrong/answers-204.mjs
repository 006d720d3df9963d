// A delivery is answered "no content", which is not 200.

import { onExpress, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onExpress(shop, async (body, signature) => {
  const status = await verified(shop)(body, signature);
  return status === 200 ? 204 : status;
});
