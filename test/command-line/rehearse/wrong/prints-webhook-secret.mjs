// A signature that does not match is explained in the log, with the secret.

import { onHttp, verified } from '../servers.mjs';
import { Shop, webhookSecret } from '../shop.mjs';

const shop = new Shop().start();
onHttp(shop, async (body, signature) => {
  const status = await verified(shop)(body, signature);
  if (status >= 400) console.log(`no match for ${webhookSecret}`);
  return status;
});
