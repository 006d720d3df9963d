/** hmac: HMAC-SHA256 in hexadecimal. SigningKey: the same, faster, for a key that signs many bodies. */

import { nodeCrypto } from './node-crypto.js';
import type { RawBytesOrText } from './raw-body.js';

const blockBytes = 64;
const digestBytes = 32;
const innerPad = 0x36;
const outerPad = 0x5c;

/** Larger than any event. Beyond it, copying a body costs more than it saves. */
const maxCopiedBytes = 16 * 1024;

/** The signature as text: returning it as a Buffer takes a quarter longer. */
export function hmac(body: RawBytesOrText, key: string | Uint8Array): string {
  return nodeCrypto().createHmac('sha256', key).update(body).digest('hex');
}

/**
 * Computes an HMAC with two one-shot hashes, as RFC 2104 defines it. `createHmac` creates
 * objects that the garbage collector must finalize: a tenth of the CPU time with 50 concurrent senders.
 */
export class SigningKey {
  readonly #secret: string;
  /** The key's block, and space for a body or a digest after it. */
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(secret: string) {
    this.#secret = secret;
    // Buffer.alloc never uses the shared pool, where a neighboring Buffer would give access to the key.
    this.#inner = Buffer.alloc(blockBytes + maxCopiedBytes);
    this.#outer = Buffer.alloc(blockBytes + digestBytes);
    const utf8 = Buffer.from(secret, 'utf8');
    const key =
      utf8.length > blockBytes ? nodeCrypto().createHash('sha256').update(utf8).digest() : utf8;
    for (let at = 0; at < blockBytes; at += 1) {
      this.#inner[at] = (key[at] ?? 0) ^ innerPad;
      this.#outer[at] = (key[at] ?? 0) ^ outerPad;
    }
  }

  /** The signature of a body, in lower-case hexadecimal. */
  sign(body: RawBytesOrText): string {
    const { hash, getFips } = nodeCrypto() as Partial<ReturnType<typeof nodeCrypto>>;
    // In FIPS mode only the HMAC of OpenSSL's FIPS module is allowed.
    if (
      hash === undefined ||
      getFips?.() === 1 ||
      typeof body === 'string' ||
      body.byteLength > maxCopiedBytes
    ) {
      return hmac(body, this.#secret);
    }
    this.#inner.set(body, blockBytes);
    const message = this.#inner.subarray(0, blockBytes + body.byteLength);
    // 'binary' means latin1; the type declarations of crypto.hash accept only this name.
    this.#outer.write(hash('sha256', message, 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, 'hex');
  }
}
