/** Conversions between text and bytes that the candidates need, none of which throws. */

import type * as zlib from 'node:zlib';

import { parseJson } from '../../core/json.js';

export type Bytes = Uint8Array<ArrayBuffer>;

/** One byte for each character; undefined if a character needs more. */
export function latin1Bytes(text: string): Bytes | undefined {
  return /^[\0-\u00ff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
}

/** The bytes of base64 or base64url; undefined if the text is neither. */
export function base64Bytes(text: string): Bytes | undefined {
  const characters = /^([A-Za-z0-9+/_-]{2,})={0,2}$/.exec(text)?.[1];
  // One character alone has 6 bits, which is not a byte.
  if (characters === undefined || characters.length % 4 === 1) return undefined;
  return Buffer.from(characters, 'base64');
}

/** The bytes of hexadecimal; undefined if the text is not hexadecimal. */
export function hexBytes(text: string): Bytes | undefined {
  return /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/**
 * The bytes of a Buffer or a Uint8Array that was turned into text: `{"type":"Buffer","data":[1,2]}`,
 * `{"0":1,"1":2}`, `[1,2]` and `1,2`.
 */
export function listedBytes(text: string): Bytes | undefined {
  const value = parseJson(/^\s*\d/.test(text) ? `[${text}]` : text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { data = value } = value as { data?: unknown };
  const list = Object.values(Object(data) as Record<string, unknown>);
  const isByte = (each: unknown) =>
    Number.isInteger(each) && Number(each) >= 0 && Number(each) < 256;
  return list.length > 0 && list.every(isByte) ? Uint8Array.from(list as number[]) : undefined;
}

/** What the bytes are a compression of, by its name; a few bytes may stand for a gigabyte. */
export function decompressed(bytes: Bytes, maxOutputLength: number): Map<string, Bytes> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (id: 'node:zlib') => typeof zlib | undefined };
  };
  const { gunzipSync, inflateSync, inflateRawSync, brotliDecompressSync } =
    process?.getBuiltinModule?.('node:zlib') ?? {};
  const found = new Map<string, Bytes>();
  for (const [name, decompress] of Object.entries({
    gzip: gunzipSync,
    deflate: inflateSync,
    'deflate without a header': inflateRawSync,
    br: brotliDecompressSync,
  })) {
    try {
      const content = decompress?.(bytes, { maxOutputLength });
      if (content !== undefined) found.set(name, Uint8Array.from(content));
    } catch {
      // It is not in this form.
    }
  }
  return found;
}
