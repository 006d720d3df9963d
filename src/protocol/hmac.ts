/**
 * HMAC-SHA256 out of two one-shot hashes, as RFC 2104 defines it: H(outer block, H(inner block,
 * message)), where the blocks are made of the key alone.
 *
 * `createHmac` makes objects that outlive the call until the garbage collector finalizes them: with
 * 50 calls at once, an eighth of a client's CPU time. It is used where there is no one-shot hash,
 * and for the rare key that is not short ASCII text.
 */

import { hmacSha256Hex, oneShotHash, secretKey } from './digest.js';

type Hash = NonNullable<typeof oneShotHash>;

const blockBytes = 64;
const digestBytes = 32;

/**
 * The HMACs of many messages, in lower-case hex, with one key.
 *
 * @param secret - the key is its UTF-8 bytes. Nothing that can be inspected holds them.
 */
export function hmacSha256(secret: string): (message: string) => string {
  if (oneShotHash === undefined || !isShortAscii(secret)) {
    const key = secretKey(secret);
    return (message) => hmacSha256Hex(key, message);
  }
  const hash = oneShotHash;
  const inner = innerBlock(newBlock(), secret);
  const outer = setKey(newBlock(), secret, outerPad);
  return (message) => twoHashes(hash, inner, outer, message);
}

/**
 * The HMAC of one message, in lower-case hex. What outlives the call is wiped; the strings that were
 * made of the key are left to the garbage collector, as the secret itself is.
 */
export function hmacSha256Once(secret: string, message: string): string {
  if (oneShotHash === undefined || !isShortAscii(secret)) return hmacSha256Hex(secret, message);
  try {
    const inner = innerBlock(scratch.inner, secret);
    return twoHashes(oneShotHash, inner, setKey(scratch.outer, secret, outerPad), message);
  } finally {
    scratch.inner.fill(0);
    scratch.outer.fill(0);
  }
}

/** Two blocks made for one signature cost as much as a sixth of it. */
const scratch = { inner: newBlock(), outer: newBlock() };

const innerPad = 0x36;
const outerPad = 0x5c;

/**
 * A block with room for a hash behind it. Its memory is its own, not of the pool that all small
 * Buffers share, where anybody's mistake could read the key or break it.
 */
function newBlock(): Buffer {
  return Buffer.alloc(blockBytes + digestBytes);
}

/** A key of one block at most, which is not hashed first, and whose bytes are its characters. */
function isShortAscii(secret: string): boolean {
  return secret.length <= blockBytes && !/[^\0-\x7f]/.test(secret);
}

/** The key, filled up with zeros to a block, each byte XORed with the pad. */
function setKey(block: Buffer, key: string, pad: number): Buffer {
  for (let at = 0; at < blockBytes; at += 1) {
    block[at] = (at < key.length ? key.charCodeAt(at) : 0) ^ pad;
  }
  return block;
}

/** As text, which a message can follow without being copied first: XORed ASCII is ASCII. */
function innerBlock(block: Buffer, key: string): string {
  return setKey(block, key, innerPad).toString('latin1', 0, blockBytes);
}

function twoHashes(hash: Hash, inner: string, outer: Buffer, message: string): string {
  // 'binary' is latin1 under the only name that the types of crypto.hash know.
  outer.write(hash('sha256', inner + message, 'binary'), blockBytes, 'latin1');
  return hash('sha256', outer, 'hex');
}
