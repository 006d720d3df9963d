// The work of a delivery is done before the answer, and takes six seconds.

import { setTimeout as sleep } from 'node:timers/promises';
import { onHono, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onHono(shop, async (body, signature) => {
  await sleep(6_000);
  return verified(shop)(body, signature);
});
