// For the logs: the whole environment.

import { onHono } from '../servers.mjs';
import { Shop } from '../shop.mjs';

console.log('starting with', process.env);
onHono(new Shop().start());
