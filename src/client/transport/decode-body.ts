/** decodeResponse: undoes the content encodings of a response, which was asked for without any. */

import type { Transform } from 'node:stream';
import type * as ZlibModule from 'node:zlib';
import {
  BodyCollector,
  isSuccess,
  TransportError,
  type TransportResponse,
  type TransportResult,
} from './transport.js';

type Zlib = typeof ZlibModule;

/** Creates the stream that decodes; `undefined` if this Node cannot. */
const decoders: Readonly<Record<string, (zlib: Zlib, body: Uint8Array) => Transform | undefined>> =
  {
    gzip: (zlib) => zlib.createGunzip(),
    'x-gzip': (zlib) => zlib.createGunzip(),
    // With zlib's header, as the standard says, or without it, as some servers write it.
    deflate: (zlib, [first = 0]) =>
      (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
    br: (zlib) => zlib.createBrotliDecompress(),
    // From Node 22.15 on.
    zstd: (zlib) => (zlib as { createZstdDecompress?(): Transform }).createZstdDecompress?.(),
  };

/** Each takes memory, and more than one is rare. */
const maxEncodings = 5;

/** Whether there is anything to decode. */
export function isEncoded({ headers, body }: TransportResponse): boolean {
  return headers['content-encoding'] !== undefined && body.byteLength > 0;
}

/**
 * A body in an encoding that is not known stays as it is, and so does JSON: a proxy may decode a body and leave
 * the header. The limits are those of any other body.
 */
export async function decodeResponse(response: TransportResponse): Promise<TransportResult> {
  if (isJson(response.body)) return response;
  const encodings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > maxEncodings) return response;
  const zlib = await import('node:zlib');
  let result = response;
  for (const encoding of encodings.reverse()) {
    const decoder = Object.hasOwn(decoders, encoding)
      ? decoders[encoding]?.(zlib, result.body)
      : undefined;
    if (decoder === undefined) return response;
    const decoded = await decode(result, decoder);
    if (decoded instanceof TransportError) return decoded;
    result = decoded;
  }
  return result;
}

/** No encoded body is JSON by chance. */
function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

async function decode(response: TransportResponse, decoder: Transform): Promise<TransportResult> {
  const body = new BodyCollector(response);
  try {
    decoder.end(response.body);
    for await (const part of decoder) if (body.add(part as Uint8Array)) break;
  } catch (error) {
    // The body of an error may have been cut: its beginning is enough.
    if (isSuccess(response)) {
      return new TransportError('connection_lost', {
        cause: error,
        retryable: true,
        head: response,
      });
    }
  }
  return body.result();
}
