/** SHA-256 and HMAC-SHA256 in lower-case hex. */

import crypto, { type KeyObject } from 'node:crypto';

export const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The hash of a string's UTF-8 bytes, or of bytes as they are. */
export function sha256Hex(data: string | Uint8Array): string {
  if (data.length === 0) return emptySha256;
  return oneShotHash === undefined
    ? crypto.createHash('sha256').update(data).digest('hex')
    : oneShotHash('sha256', data, 'hex');
}

/** The key of an HMAC: the secret's UTF-8 bytes, held where no inspection or JSON shows them. */
export function secretKey(secret: string): KeyObject {
  return crypto.createSecretKey(new TextEncoder().encode(secret));
}

/** A key that is a string counts as its UTF-8 bytes. */
export function hmacSha256Hex(key: KeyObject | string, message: string): string {
  return crypto.createHmac('sha256', key).update(message).digest('hex');
}

/** One call instead of three objects. Other runtimes may lack it. */
export const oneShotHash = (crypto as Partial<Pick<typeof crypto, 'hash'>>).hash;
