/** Enforces a handler's `maxBytes`. */

import { ByteCollector } from '../../core/byte-collector.js';
import { bodyConsumedError, bodyTooLargeError, toRawBody } from '../raw-body.js';

/** The bytes of a body that was already read completely. */
export function bytesWithinLimit(body: unknown, maxBytes: number): Uint8Array<ArrayBuffer> {
  const raw = toRawBody(body);
  const bytes = typeof raw === 'string' ? Buffer.from(raw, 'utf8') : raw;
  if (bytes.byteLength > maxBytes) throw bodyTooLargeError(maxBytes);
  return bytes;
}

/** Refuses a body by its Content-Length, before anything is read. */
export function checkContentLength(contentLength: unknown, maxBytes: number): void {
  if (typeof contentLength !== 'string' || !/^\d+$/.test(contentLength)) return;
  if (Number(contentLength) > maxBytes) throw bodyTooLargeError(maxBytes);
}

/** Collects the chunks of a body up to a limit, using at most twice the memory of what was received. */
export class LimitedBuffer {
  readonly #maxBytes: number;
  readonly #bytes = new ByteCollector();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Adds a chunk. Throws if the body is then too large. */
  add(chunk: unknown): void {
    // A stream with an encoding yields strings, from which the bytes cannot be restored.
    if (!ArrayBuffer.isView(chunk)) throw bodyConsumedError();
    if (this.#bytes.length + chunk.byteLength > this.#maxBytes) {
      throw bodyTooLargeError(this.#maxBytes);
    }
    this.#bytes.add(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }

  /** The whole body. */
  toBytes(): Uint8Array {
    return this.#bytes.toBytes();
  }
}
