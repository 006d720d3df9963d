// The signature is compared with that of a body that was parsed and written again.

import { onFastify, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onFastify(shop, (body, signature) => {
  try {
    return verified(shop)(JSON.stringify(JSON.parse(body)), signature);
  } catch {
    return 400;
  }
});
