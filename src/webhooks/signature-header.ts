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
  const value = values[0];
  if (value === undefined) {
    throw new WebhookVerificationError('missing_signature', missing(signature));
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

/** All values of the signature header; an empty one counts as absent. */
export function signatureValues(signature: unknown): string[] {
  return headerValues(signature).filter((value) => value !== '');
}

function headerValues(signature: unknown): string[] {
  if (typeof signature === 'string' || Array.isArray(signature)) return stringValues(signature);
  if (typeof signature !== 'object' || signature === null) return [];
  if (isHeadersLike(signature)) return stringValues(signature.get(signatureHeader));
  const headers = signature as Readonly<Record<string, unknown>>;
  const values: string[] = [];
  // A loop without copies: this runs before the sender is authenticated.
  for (const name of Object.keys(headers)) {
    if (name.length !== signatureHeader.length || name.toLowerCase() !== signatureHeader) continue;
    values.push(...stringValues(headers[name]));
  }
  return values;
}

/** Node and API gateways pass a header that was sent several times as an array. */
function stringValues(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

function isHeadersLike(headers: object): headers is HeadersLike {
  return 'get' in headers && typeof headers.get === 'function';
}

function missing(signature: unknown): string {
  const hint =
    typeof signature === 'object' && signature !== null && 'headers' in signature
      ? 'The value passed looks like a whole request: pass its headers.'
      : 'The sender is not the service, a proxy removed the header, or another header was read.';
  return `There is no X-Market-Signature. ${hint}`;
}

function malformed(value: string): string {
  const rule = 'X-Market-Signature of a webhook is exactly 64 lower-case hexadecimal characters';
  const prefix = /^\s*([A-Za-z][A-Za-z0-9-]*)=/.exec(value)?.[1];
  if (prefix !== undefined && prefix.length <= 16) {
    return `${rule}; this one starts with "${prefix}=". The v1= of API requests is not used here.`;
  }
  if (/^[0-9a-fA-F]{64}$/.test(value)) return `${rule}; this one has upper-case letters.`;
  if (signaturePattern.test(value.trim()))
    return `${rule}; this one has leading or trailing white space.`;
  if (value.includes(',')) return `${rule}; this one is a list: was the header sent twice?`;
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return `${rule}; this one looks like base64.`;
  return `${rule}; this one has ${value.length} characters.`;
}
