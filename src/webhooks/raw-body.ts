/** Raw bodies: the bytes that the service signed (specification, part 6, Delivery). */

import { WebhookVerificationError } from './verification-error.js';

/** No event is this large, and every runtime can hash it and hold it as a string. */
const maxHashedBytes = 64 * 1024 * 1024;

/**
 * A request body as it arrived. Bytes are hashed as they are: a byte order mark, a trailing newline
 * and invalid UTF-8 included. A string is hashed as UTF-8, which is right only if it was decoded as
 * UTF-8 without loss; prefer bytes.
 */
export type RawBody = ArrayBufferView | ArrayBuffer | string;

/** A raw body in the two forms that a hash function accepts; a string is hashed as UTF-8. */
export type RawBytesOrText = Uint8Array<ArrayBuffer> | string;

/** Returns the bytes or the text of a body. If there are none, the error names the probable cause. */
export function toRawBody(body: unknown): RawBytesOrText {
  const raw = bytesOrText(body);
  if (raw === undefined) throw new WebhookVerificationError('body_not_raw', notRawMessage(body));
  const size = typeof raw === 'string' ? raw.length : raw.byteLength;
  if (size > maxHashedBytes) throw bodyTooLargeError(maxHashedBytes);
  return raw;
}

/** The error for a body that has more than `maxBytes` bytes. */
export function bodyTooLargeError(maxBytes: number): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_too_large',
    `The body has more than ${maxBytes} bytes. Events have a few hundred; this is not one, ` +
      'or "maxBytes" is set too low.',
  );
}

/** The error for a request whose body was already read by other code. */
export function bodyConsumedError(request?: object): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'The body was read before the webhook handler was called, so its bytes are gone. ' +
      platformHint(request) +
      rawBodyInstructions,
  );
}

/**
 * The error for a body that the sender announced, and of which no byte came.
 *
 * @param waitedMs - how long it was waited for, unless it has ended
 */
export function noBodyError(waitedMs?: number): WebhookVerificationError {
  const what =
    waitedMs === undefined
      ? 'The headers announce a body, but it is empty'
      : `No byte of the body came within "timeoutMs", ${waitedMs} ms`;
  return new WebhookVerificationError(
    'body_not_raw',
    `${what}: it was read before the webhook handler was called, or the sender sent none. ` +
      platformHint(undefined) +
      rawBodyInstructions,
  );
}

/** The advice for the platform that this process runs on, if it can be recognized. */
function platformHint(request: object | undefined): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const env = process?.env ?? {};
  if (env.NEXT_RUNTIME !== undefined) {
    return 'This is Next.js. Use handler.fetch in a route handler, or in pages/api bodyParser: false. ';
  }
  if (env.VERCEL !== undefined) {
    return 'This is Vercel. In /api, export a web handler (handler.fetch), which gets the bytes. ';
  }
  if (env.FUNCTION_TARGET !== undefined) {
    return 'This is Google Cloud Functions. Pass request.rawBody. ';
  }
  if (request !== undefined && 'app' in request && 'next' in request) {
    return 'This is Express, and express.json() or another parser runs before this route. ';
  }
  return '';
}

const rawBodyInstructions =
  'The signature is over the bytes as received. Keep them: in Express, mount the route with ' +
  "express.raw({ type: '*/*' }) and before express.json(); in Fastify, addContentTypeParser with " +
  "parseAs: 'buffer'; in NestJS, NestFactory.create(AppModule, { rawBody: true }) and request.rawBody; " +
  'in Next.js route handlers, Hono and other fetch servers, await request.arrayBuffer() and not ' +
  'request.json(); in Next.js pages/api, export const config = { api: { bodyParser: false } }; ' +
  'on Lambda, event.body, decoded first when event.isBase64Encoded is true.';

function bytesOrText(body: unknown): RawBytesOrText | undefined {
  if (typeof body === 'string') return body;
  if (!ArrayBuffer.isView(body)) return isArrayBuffer(body) ? new Uint8Array(body) : undefined;
  const { buffer, byteOffset, byteLength } = body;
  if (isArrayBuffer(buffer)) {
    return isBytes(body) ? body : new Uint8Array(buffer, byteOffset, byteLength);
  }
  // Shared memory may change between hashing and parsing.
  return Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength));
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return tagOf(value) === '[object ArrayBuffer]';
}

function isBytes(body: ArrayBufferView): body is Uint8Array<ArrayBuffer> {
  return tagOf(body) === '[object Uint8Array]';
}

/** What another realm's objects have too: `instanceof` is false for them. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}

function notRawMessage(body: unknown): string {
  if (body === undefined || body === null) {
    return (
      `The body is ${String(body)}: nothing has read it, or something read it and did ` +
      `not store it. ${rawBodyInstructions}`
    );
  }
  return `${whatItIs(body)} ${rawBodyInstructions}`;
}

function whatItIs(body: unknown): string {
  if (typeof body !== 'object' || body === null) {
    return `The body is of type ${typeof body}, not the bytes that were signed.`;
  }
  if ('then' in body && typeof body.then === 'function') {
    return 'The body is a promise: "await" is missing before it, as in await request.text().';
  }
  if ('headers' in body && ('method' in body || 'url' in body)) {
    return 'The body is a whole request. Pass its raw body.';
  }
  if ('type' in body && body.type === 'Buffer' && 'data' in body && Array.isArray(body.data)) {
    return 'The body was already parsed. It is a Buffer that was serialized as JSON. Buffer.from(body.data) restores it.';
  }
  if (Array.isArray(body) && ArrayBuffer.isView(body[0])) {
    return 'The body is a list of chunks. Pass Buffer.concat(chunks).';
  }
  if ('0' in body && typeof body[0] === 'number') {
    return 'The body was already parsed into a list of numbers. If they are its bytes, Uint8Array.from(Object.values(body)) restores them.';
  }
  if ('getReader' in body || 'pipe' in body || Symbol.asyncIterator in body) {
    return 'The body is a stream, not the bytes that were signed.';
  }
  if ('arrayBuffer' in body) return 'The body is a Blob. Pass await body.arrayBuffer().';
  return 'The body was already parsed, and serializing it again does not restore the signed bytes.';
}
