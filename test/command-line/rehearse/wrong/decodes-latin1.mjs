// The body is read one byte a letter, and hashed as UTF-8: right as long as it is ASCII.

import { onHttp, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const shop = new Shop().start();
onHttp(shop, (body, signature) => verified(shop)(Buffer.from(body).toString('latin1'), signature));
