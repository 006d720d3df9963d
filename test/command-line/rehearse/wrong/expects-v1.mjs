// The signature of a delivery is expected to look like that of a request.

import { onExpress, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onExpress(shop, (body, signature = '') =>
  signature.startsWith('v1=') ? verified(shop)(body, signature.slice(3)) : 401,
);
