/** Bodies within a receiver's `maxBytes`, however they come. */

import { alreadyConsumed, hashableBody, tooLarge } from '../raw-body.js';

/** A body that is there as a whole, as bytes. */
export function boundedBytes(body: unknown, maxBytes: number): Uint8Array<ArrayBuffer> {
  const hashable = hashableBody(body);
  const bytes = typeof hashable === 'string' ? new TextEncoder().encode(hashable) : hashable;
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/** Refuses by the announced length, before anything is read. */
export function refuseAnnounced(contentLength: unknown, maxBytes: number): void {
  if (typeof contentLength !== 'string') return;
  if (/^\d+$/.test(contentLength) && Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
}

/** Collects a body's chunks up to a size. */
export class BoundedBytes {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Keeps a chunk, or refuses the body that has become too large. */
  add(chunk: unknown): void {
    // A stream that was told to decode gives strings: its bytes are gone.
    if (!(chunk instanceof Uint8Array)) throw alreadyConsumed();
    this.#size += chunk.byteLength;
    if (this.#size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.#chunks.push(chunk);
  }

  /** The whole body. */
  toBytes(): Uint8Array {
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  }
}
