// An event that is stored already breaks a unique index, and its delivery fails.

import { onFastify, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onFastify(shop, (body, signature) => {
  const { id } = JSON.parse(body);
  return shop.seen.has(id) ? 500 : verified(shop)(body, signature);
});
