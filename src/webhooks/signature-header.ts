/** X-Market-Signature of a delivery: 64 lower-case hexadecimal characters, without a prefix (specification, part 6). */

import { WebhookVerificationError } from './verification-error.js';

/** The header that carries a delivery's signature, as HTTP/2 and node:http spell it. */
const SIGNATURE_HEADER = 'x-market-signature';

const SIGNATURE = /^[0-9a-f]{64}$/;

/** The part of a `Headers` object that is read here. */
export interface HeadersLike {
  /** The value of a header, whatever its case; `null` when it is absent. */
  get(name: string): string | null | undefined;
}

/** Headers as a `Headers` object, as `request.headers` of node:http, or as a plain object of any case. */
export type WebhookHeaders =
  HeadersLike | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** The value of the X-Market-Signature header, or all headers of the delivery. */
export type WebhookSignature = string | readonly string[] | WebhookHeaders | null | undefined;

/** The signature, in the one form that the service sends. Refuses every other. */
export function signatureOf(signature: unknown): string {
  if (typeof signature === 'string' && SIGNATURE.test(signature)) return signature;
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
  if (!SIGNATURE.test(value)) {
    throw new WebhookVerificationError('malformed_signature', malformed(value));
  }
  return value;
}

/** Every value of the signature header that is there; an empty one counts as absent. */
export function signatureValues(signature: unknown): string[] {
  return headerValues(signature).filter((value) => value !== '');
}

function headerValues(signature: unknown): string[] {
  if (typeof signature === 'string' || Array.isArray(signature)) return oneOrMore(signature);
  if (typeof signature !== 'object' || signature === null) return [];
  if (isHeadersLike(signature)) return oneOrMore(signature.get(SIGNATURE_HEADER));
  return Object.entries(signature).flatMap(([name, value]: [string, unknown]) =>
    name.toLowerCase() === SIGNATURE_HEADER ? oneOrMore(value) : [],
  );
}

/** Node and API gateways give a header that was sent several times as a list. */
function oneOrMore(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

function isHeadersLike(headers: object): headers is HeadersLike {
  return 'get' in headers && typeof headers.get === 'function';
}

function missing(signature: unknown): string {
  const hint =
    typeof signature === 'object' && signature !== null && 'headers' in signature
      ? 'What was handed over looks like a whole request: hand over its headers.'
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
  if (SIGNATURE.test(value.trim())) return `${rule}; this one has white space around it.`;
  if (value.includes(',')) return `${rule}; this one is a list: was the header sent twice?`;
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return `${rule}; this one looks like base64.`;
  return `${rule}; this one has ${value.length} characters.`;
}
