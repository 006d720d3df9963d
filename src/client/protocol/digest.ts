/** SHA-256 and HMAC-SHA256 in lower-case hex, by node:crypto. */

import crypto, { type KeyObject } from 'node:crypto';

export const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The SHA-256 of bytes, or of a string as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  if (data.length === 0) return emptySha256;
  return oneShotHash === undefined
    ? crypto.createHash('sha256').update(data).digest('hex')
    : oneShotHash('sha256', data, 'hex');
}

/** An HMAC key made of the secret's UTF-8 bytes. Inspecting a KeyObject does not print them. */
export function secretKey(secret: string): KeyObject {
  return crypto.createSecretKey(Buffer.from(secret, 'utf8'));
}

/** The HMAC-SHA256 of a message. A string key is read as UTF-8. */
export function hmacSha256Hex(key: KeyObject | string, message: string): string {
  return crypto.createHmac('sha256', key).update(message).digest('hex');
}

/** `crypto.hash` makes no objects, `createHash` three. Undefined if the runtime lacks it. */
const oneShotHash = (crypto as Partial<Pick<typeof crypto, 'hash'>>).hash;
