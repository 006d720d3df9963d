/**
 * HMAC-SHA256 computed with two one-shot hashes, as RFC 2104 defines it: H(outer block + H(inner
 * block + message)), in which both blocks depend on the key only.
 *
 * `createHmac` makes objects that live until the garbage collector finalizes them: with 50 calls at
 * once, an eighth of a client's CPU time. It is the fallback if `crypto.hash` is missing, in FIPS mode, and
 * for keys that are not short ASCII text.
 */

import { hmacSha256Hex, isFipsMode, oneShotHash, secretKey } from './digest.js';

type Hash = NonNullable<typeof oneShotHash>;

const blockBytes = 64;
const digestBytes = 32;
const innerPad = 0x36;
const outerPad = 0x5c;

/** Reused blocks: allocating two per signature costs a sixth of it. */
const reusedBlocks = { inner: newBlock(), outer: newBlock() };

/**
 * Returns a function that computes the HMAC of a message in lower-case hex.
 *
 * @param secret - used as UTF-8. No property of the returned function holds it.
 */
export function hmacSha256(secret: string): (message: string) => string {
  if (oneShotHash === undefined || needsCreateHmac(secret)) {
    const key = secretKey(secret);
    return (message) => hmacSha256Hex(key, message);
  }
  const hash = oneShotHash;
  const inner = innerBlock(newBlock(), secret);
  const outer = xorKey(newBlock(), secret, outerPad);
  return (message) => hmacOfBlocks(hash, inner, outer, message);
}

/**
 * The HMAC of one message, in lower-case hex. The reused blocks are wiped; strings derived from the
 * key are left to the garbage collector, as the secret itself is.
 */
export function hmacSha256Once(secret: string, message: string): string {
  if (oneShotHash === undefined || needsCreateHmac(secret)) return hmacSha256Hex(secret, message);
  try {
    const inner = innerBlock(reusedBlocks.inner, secret);
    return hmacOfBlocks(oneShotHash, inner, xorKey(reusedBlocks.outer, secret, outerPad), message);
  } finally {
    reusedBlocks.inner.fill(0);
    reusedBlocks.outer.fill(0);
  }
}

/**
 * A block, and space for a hash after it. `Buffer.alloc` takes memory of its own: a Buffer from the
 * shared pool would let any code that reads past its own Buffer see the key.
 */
function newBlock(): Buffer {
  return Buffer.alloc(blockBytes + digestBytes);
}

/** RFC 2104 hashes longer keys first, and other characters are more than one byte. */
function needsCreateHmac(secret: string): boolean {
  return secret.length > blockBytes || /[^\0-\x7f]/.test(secret) || isFipsMode();
}

/** Writes the key, padded with zeros to a block, each byte XORed with the pad. */
function xorKey(block: Buffer, key: string, pad: number): Buffer {
  for (let at = 0; at < blockBytes; at += 1) {
    block[at] = (at < key.length ? key.charCodeAt(at) : 0) ^ pad;
  }
  return block;
}

/** The inner block as a string, so that appending a message copies no bytes. XORed ASCII is ASCII. */
function innerBlock(block: Buffer, key: string): string {
  return xorKey(block, key, innerPad).toString('latin1', 0, blockBytes);
}

function hmacOfBlocks(hash: Hash, inner: string, outer: Buffer, message: string): string {
  // 'binary' is latin1; the types of crypto.hash know only this name.
  outer.write(hash('sha256', inner + message, 'binary'), blockBytes, 'latin1');
  return hash('sha256', outer, 'hex');
}
