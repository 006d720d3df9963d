/**
 * HMAC-SHA256 with one key for many messages, out of two one-shot hashes, as RFC 2104 defines it:
 * H(outer block, H(inner block, message)), where the blocks are made of the key alone.
 *
 * `createHmac` makes objects that outlive the call until the garbage collector finalizes them: with
 * 50 calls at once, an eighth of a client's CPU time. Where there is no one-shot hash, it is used.
 *
 * The blocks lie in memory of their own, not in the pool that every small Buffer of the process
 * shares: there anybody's mistake could read the key or break it.
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
  const key = keyBytes(secret);
  const inner = keyedBlock(key, 0x36, roomBytes);
  const outer = keyedBlock(key, 0x5c, digestBytes);
  key.fill(0);
  return (message) => {
    // 'binary' is latin1 under the only name that the types of crypto.hash know.
    const innerHash = hash('sha256', withMessage(inner, message), 'binary');
    outer.write(innerHash, blockBytes, 'latin1');
    return hash('sha256', outer, 'hex');
  };
}

/** A key longer than a block is hashed. */
function keyBytes(secret: string): Uint8Array {
  const bytes = new TextEncoder().encode(secret);
  return bytes.length > blockBytes ? crypto.createHash('sha256').update(bytes).digest() : bytes;
}

/** The key's block, in which a shorter key ends in zeros, and room behind it. */
function keyedBlock(key: Uint8Array, pad: number, room: number): Buffer {
  const block = Buffer.alloc(blockBytes + room);
  block.set(key);
  for (let at = 0; at < blockBytes; at += 1) block[at] = (block[at] ?? 0) ^ pad;
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
