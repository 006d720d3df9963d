/** ByteCollector: the bytes of a body that arrives in chunks, joined without retaining the chunks. */

const minSlabBytes = 1024;
const maxSlabBytes = 64 * 1024;

/**
 * Joins chunks in at most twice the memory of their bytes. A retained chunk costs some 200 bytes of
 * its own, so a sender of one-byte chunks would otherwise pin 200 times what it sent.
 */
export class ByteCollector {
  /** How many bytes were added. */
  length = 0;
  /** The first chunk, until a second one arrives: most bodies are one chunk, which needs no copy. */
  #only: Uint8Array | undefined;
  readonly #slabs: Uint8Array[] = [];
  /** How many bytes of the last slab are free. */
  #free = 0;

  /** Adds a chunk. Its bytes must not change later: an only chunk is not copied. */
  add(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    if (this.length === 0) {
      this.#only = chunk;
    } else {
      if (this.#only !== undefined) this.#copy(this.#only);
      this.#only = undefined;
      this.#copy(chunk);
    }
    this.length += chunk.byteLength;
  }

  /** All bytes, in the order in which they were added. */
  toBytes(): Uint8Array {
    if (this.#only !== undefined) return this.#only;
    const [first] = this.#slabs;
    if (first !== undefined && this.#slabs.length === 1) return first.subarray(0, this.length);
    const whole = new Uint8Array(this.length);
    let offset = 0;
    for (const slab of this.#slabs) {
      whole.set(slab.subarray(0, this.length - offset), offset);
      offset += slab.byteLength;
    }
    return whole;
  }

  #copy(chunk: Uint8Array): void {
    const fitting = chunk.byteLength <= this.#free ? chunk : chunk.subarray(0, this.#free);
    const last = this.#slabs.at(-1);
    last?.set(fitting, last.byteLength - this.#free);
    this.#free -= fitting.byteLength;
    if (fitting === chunk) return;
    const rest = chunk.subarray(fitting.byteLength);
    // As large as everything before it, so that what is free is never more than what is used.
    const wanted = Math.min(Math.max(this.length, minSlabBytes), maxSlabBytes);
    const slab = new Uint8Array(Math.max(rest.byteLength, wanted));
    slab.set(rest);
    this.#slabs.push(slab);
    this.#free = slab.byteLength - rest.byteLength;
  }
}
