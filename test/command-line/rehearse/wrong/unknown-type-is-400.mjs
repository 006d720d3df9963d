// An event of a type that the program has no code for is a bad request.

import { onHono, verified } from '../servers.mjs';
import { Shop } from '../shop.mjs';

const known = /"type":"order\.(?:recorded|transfer_\w+|settled|refunded)"/;
const shop = new Shop().start();
onHono(shop, (body, signature) => (known.test(body) ? verified(shop)(body, signature) : 400));
