/** `orderHash`: recognizes an order by its content under this package's names, however a profile has it sent. */

import { serializeBody } from '../input/index.js';
import type { OrderInput } from '../model/orders.js';
import { sha256Hex } from '../protocol/digest.js';

export function orderHash(order: OrderInput): string {
  return sha256Hex(serializeBody(order));
}
