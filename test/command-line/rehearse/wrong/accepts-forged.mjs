// Nobody looks at the signature.

import { onHono } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onHono(shop, (body) => {
  try {
    shop.handle(JSON.parse(body));
    return 200;
  } catch {
    return 400;
  }
});
