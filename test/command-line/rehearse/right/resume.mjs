import { onHttp } from '../servers.mjs';
import { Shop } from '../shop.mjs';

onHttp(new Shop().start());
