/**
 * Reads X-Market-Signature: 64 lower-case hexadecimal characters, no prefix (specification, part 6).
 */

import { WebhookVerificationError } from './verification-error.js';

/** The header's name in lower case, as HTTP/2 and node:http pass it. */
const signatureHeader = 'x-market-signature';

const signaturePattern = /^[0-9a-f]{64}$/;

/** The part of a `Headers` object that is used. */
export interface HeadersLike {
  /** The value of a header, in any letter case; `null` when it is absent. */
  get(name: string): string | null | undefined;
}

/**
 * Headers as a `Headers` object, as `request.headers` of node:http, or as a plain object with names in
 * any letter case.
 */
export type WebhookHeaders =
  HeadersLike | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** The value of the X-Market-Signature header, or all headers of the delivery. */
export type WebhookSignature = string | readonly string[] | WebhookHeaders | null | undefined;

/** The signature of a delivery; throws for every form that the service does not send. */
export function signatureOf(signature: unknown): string {
  if (typeof signature === 'string' && signaturePattern.test(signature)) return signature;
  const values = signatureValues(signature);
  const [value] = values;
  if (value === undefined || isRawHeaders(values)) {
    throw new WebhookVerificationError('missing_signature', missingSignature(signature));
  }
  if (values.length > 1) {
    throw new WebhookVerificationError(
      'malformed_signature',
      `X-Market-Signature was sent ${values.length} times. The service sends it once.`,
    );
  }
  if (!signaturePattern.test(value)) {
    throw new WebhookVerificationError('malformed_signature', malformed(value));
  }
  return value;
}

/** The only value of a header; undefined if there is none, or several, or no headers to read. */
export function headerValue(headers: unknown, name: string): string | undefined {
  const values = headerValues(headers, name);
  return values.length === 1 ? values[0] : undefined;
}

/** All values of the signature header; an empty one counts as absent. */
export function signatureValues(signature: unknown): string[] {
  const values =
    typeof signature === 'string' || Array.isArray(signature)
      ? stringValues(signature)
      : headerValues(signature, signatureHeader);
  return values.filter((value) => value !== '');
}

/**
 * What a receiver passes in place of headers because of a mistake of its own, in a sentence; undefined
 * for headers. The sender of a delivery cannot cause it.
 */
export function notHeaders(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null) {
    return `The headers are ${headers === null ? 'null' : `of type ${typeof headers}`}: pass all headers of the request.`;
  }
  if ('then' in headers && typeof headers.then === 'function') {
    return 'The headers are a promise: "await" is missing before it, as in await headers().';
  }
  if (Array.isArray(headers)) {
    return 'The headers are a list. Pass request.headers of node:http, not rawHeaders, or Object.fromEntries(list).';
  }
  const nested = 'headers' in headers ? headers.headers : undefined;
  if (typeof nested === 'object' && nested !== null && !Array.isArray(nested)) {
    return 'The value passed looks like a whole request. Pass its headers.';
  }
  return undefined;
}

/** `name` is in lower case. */
function headerValues(given: unknown, name: string): string[] {
  if (typeof given !== 'object' || given === null) return [];
  // A Map is read as a plain object: its `get` knows a name in one case only.
  const headers: object = isMap(given) ? Object.fromEntries(given) : given;
  if (isHeadersLike(headers)) return stringValues(headers.get(name));
  const values: string[] = [];
  // A loop without copies: this runs before the sender is authenticated.
  for (const key of Object.keys(headers)) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    values.push(...stringValues((headers as Readonly<Record<string, unknown>>)[key]));
  }
  return values;
}

/** Node and API gateways pass a header that was sent several times as an array. */
function stringValues(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

function isMap(headers: object): headers is Map<string, unknown> {
  return Object.prototype.toString.call(headers) === '[object Map]';
}

function isHeadersLike(headers: object): headers is HeadersLike {
  return 'get' in headers && typeof headers.get === 'function';
}

/** Whether the values are those of `rawHeaders`, which are names and values in turn. */
export function isRawHeaders(values: readonly string[]): boolean {
  return values.some((value) => value.toLowerCase() === signatureHeader);
}

export function missingSignature(signature: unknown): string {
  const headers = typeof signature === 'object' && signature !== null ? signature : undefined;
  const hint =
    (headers && notHeaders(headers)) ??
    `The sender is not the service, a proxy removed the header, or another header was read.${emptyNote(headers)}`;
  return `There is no X-Market-Signature. ${hint}`;
}

/** No mistake for certain: a sender may send no headers. */
function emptyNote(headers: object | undefined): string {
  if (headers === undefined || isHeadersLike(headers) || Object.keys(headers).length > 0) return '';
  return ' The headers are empty. A Headers object that was spread or serialized shows none, so pass it as it is.';
}

function malformed(value: string): string {
  const rule = 'X-Market-Signature of a webhook is exactly 64 lower-case hexadecimal characters';
  // Nothing else that a sender wrote is repeated: the message goes to the console.
  const prefix = /^\s*(v1|sha256)=/.exec(value)?.[1];
  if (prefix !== undefined) {
    return `${rule}; this one starts with "${prefix}=". The v1= of API requests is not used here.`;
  }
  if (/^[0-9a-fA-F]{64}$/.test(value)) return `${rule}; this one has upper-case letters.`;
  if (signaturePattern.test(value.trim()))
    return `${rule}; this one has leading or trailing white space.`;
  if (value.includes(',')) return `${rule}; this one is a list: was the header sent twice?`;
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return `${rule}; this one looks like base64.`;
  return `${rule}; this one has ${value.length} characters.`;
}
