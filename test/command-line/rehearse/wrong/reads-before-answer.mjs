// A delivery is answered once the order has been read from the service.

import { onFastify, verified } from '../servers.mjs';
import { market, Shop } from '../shop.mjs';

const shop = new Shop().start();
onFastify(shop, async (body, signature) => {
  const status = await verified(shop)(body, signature);
  const { public_id } = JSON.parse(body).data?.order ?? {};
  if (status === 200 && public_id) await market.orders.get(public_id);
  return status;
});
