// A delivery whose event is older than five minutes is answered 400, however often it comes.

import { onFastify, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const toleranceMs = 5 * 60_000;
const shop = new Shop().start();
onFastify(shop, async (body, signature) => {
  const status = await verified(shop)(body, signature);
  const isOld =
    status === 200 && Date.now() - Date.parse(JSON.parse(body).created_at) > toleranceMs;
  return isOld ? 400 : status;
});
