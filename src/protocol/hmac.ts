/**
 * HMAC-SHA256 with one key for many messages, out of two one-shot hashes, as RFC 2104 defines it:
 * H(outer block, H(inner block, message)), where the blocks are made of the key alone.
 *
 * `createHmac` makes objects that outlive the call until the garbage collector finalizes them. In a
 * client with 50 calls at once that is an eighth of all CPU time, twice what this takes
 * (docs/performance.md). Without a one-shot hash it is used all the same.
 */

import crypto from 'node:crypto';
import { hmacSha256Hex, oneShotHash, secretKey } from './digest.js';

const blockBytes = 64;
const digestBytes = 32;

/** Longest message that is hashed where it was written; few requests have a longer one. */
const roomBytes = 4096;

/**
 * @param secret - the key is its UTF-8 bytes. Nothing that can be inspected holds them.
 * @returns what makes the HMAC of a message, in lower-case hex.
 */
export function hmacSha256(secret: string): (message: string) => string {
  if (oneShotHash === undefined) {
    const key = secretKey(secret);
    return (message) => hmacSha256Hex(key, message);
  }
  const hash = oneShotHash;
  const key = keyBlock(secret);
  const inner = Buffer.concat([key.map((byte) => byte ^ 0x36), Buffer.alloc(roomBytes)]);
  const outer = Buffer.concat([key.map((byte) => byte ^ 0x5c), Buffer.alloc(digestBytes)]);
  return (message) => {
    const innerHash = hash('sha256', withMessage(inner, message), 'binary');
    outer.write(innerHash, blockBytes, 'latin1');
    return hash('sha256', outer, 'hex');
  };
}

/** A key longer than a block is hashed; a shorter one ends in zeros. */
function keyBlock(secret: string): Buffer {
  const bytes = Buffer.from(secret, 'utf8');
  const block = Buffer.alloc(blockBytes);
  const key =
    bytes.length > blockBytes ? crypto.createHash('sha256').update(bytes).digest() : bytes;
  key.copy(block);
  return block;
}

/** The inner block with the message behind it: in the room that is there, if that is enough. */
function withMessage(inner: Buffer, message: string): Buffer {
  // A UTF-16 unit takes three bytes of UTF-8 at most.
  if (message.length * 3 > roomBytes) {
    return Buffer.concat([inner.subarray(0, blockBytes), Buffer.from(message, 'utf8')]);
  }
  const bytes = inner.write(message, blockBytes, 'utf8');
  return inner.subarray(0, blockBytes + bytes);
}
