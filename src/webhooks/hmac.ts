/** hmac: HMAC-SHA256 in hexadecimal. */

import { nodeCrypto } from './node-crypto.js';
import type { RawBytesOrText } from './raw-body.js';

/** The signature as text: returning it as a Buffer takes a quarter longer. */
export function hmac(body: RawBytesOrText, key: string | Uint8Array): string {
  return nodeCrypto().createHmac('sha256', key).update(body).digest('hex');
}
