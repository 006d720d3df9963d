/** The signature headers: `createSigner` for the engine, `signRequest` for other HTTP clients. */

import { randomUUID } from 'node:crypto';
import { ConfigurationError } from '../errors/configuration-error.js';
import { invalidRequest } from '../errors/invalid-request-error.js';
import { checkedCanonicalLines, joinLines, type CanonicalLines } from './canonical-string.js';
import { hmacSha256Hex, secretKey } from './digest.js';
import type { QueryInput } from './query.js';
import { parseUrl } from '../../core/parse-url.js';

/** The four headers of every request (specification, part 5, "Request headers"). */
export type SignatureHeaders = Readonly<{
  /** The credential's public key id. */
  'X-Market-Key-Id': string;
  /** Unix seconds. */
  'X-Market-Timestamp': string;
  /** Unique per request: never to be sent twice. */
  'X-Market-Nonce': string;
  /** `v1=` and 64 lower-case hex characters. */
  'X-Market-Signature': string;
}>;

/** A request to sign. Pass `url`, or `path` with `query`. */
export interface SignRequestInput {
  /** HTTP method; any case. */
  readonly method: string;
  /** The absolute URL that will be requested. */
  readonly url?: string | URL | undefined;
  /** The full path on the wire, for example `/api/partner/v1/orders`. */
  readonly path?: string | undefined;
  /** The query in any form; goes with `path`. */
  readonly query?: QueryInput | undefined;
  /** The body exactly as it will be sent. */
  readonly body?: string | Uint8Array | undefined;
  /** The credential's public key id. */
  readonly keyId: string;
  /** The credential's secret. It is used for this signature and not retained. */
  readonly secret: string;
  /** Unix seconds; now, if left out. */
  readonly timestamp?: number | string | undefined;
  /** Unique per request; a new UUID v4, if left out. */
  readonly nonce?: string | undefined;
}

/** What to send: the signed parts, and the headers that sign them. */
export interface SignedRequest {
  /** The method that was signed, upper-case. */
  readonly method: string;
  /** The path that was signed. */
  readonly path: string;
  /** The canonical query that was signed, without `?`; send this very string. */
  readonly query: string;
  /** `path`, and `?query` if there is one. */
  readonly target: string;
  /** The URL to request, if the input had `url`. Its query is the canonical one. */
  readonly url?: string;
  /** The four headers to send along with your own. */
  readonly headers: SignatureHeaders;
}

/** Signs with one credential. Only `keyId` can be read from it. */
interface Signer {
  readonly keyId: string;
  signature(lines: CanonicalLines): string;
}

/**
 * Signs one request for another HTTP client. Send the returned `target` (or `url`) and the body
 * unchanged. Sign again before each retry: every attempt needs a new nonce.
 *
 * Use it on a server only: the secret allows everything that the partner may do.
 *
 * @throws {@link InvalidRequestError} when a part cannot be signed.
 * @throws {@link ConfigurationError} when the key id or the secret is missing.
 * @see specification, part 5
 *
 * @example
 * ```ts
 * import { signRequest } from 'market-partner-sdk';
 *
 * const body = JSON.stringify({ domain: 'brew.example' });
 * const signed = signRequest({
 *   method: 'POST',
 *   url: 'https://market.example/api/partner/v1/quotes',
 *   body,
 *   keyId: process.env.MARKET_KEY_ID ?? '',
 *   secret: process.env.MARKET_SECRET ?? '',
 * });
 * await fetch(signed.url ?? '', {
 *   method: signed.method,
 *   headers: { ...signed.headers, 'content-type': 'application/json' },
 *   body,
 * });
 * ```
 */
export function signRequest(input: SignRequestInput): SignedRequest {
  const { keyId, secret } = Object(input) as SignRequestInput;
  checkCredential(keyId, secret);
  const { origin, path, query } = resolveTarget(input);
  const lines = checkedCanonicalLines({
    method: input.method,
    path,
    query,
    timestamp: input.timestamp ?? Math.floor(Date.now() / 1000),
    nonce: input.nonce ?? randomUUID(),
    body: input.body,
  });
  const target = lines.query === '' ? path : `${path}?${lines.query}`;
  return {
    method: lines.method,
    path,
    query: lines.query,
    target,
    ...(origin === undefined ? {} : { url: origin + target }),
    headers: {
      'X-Market-Key-Id': keyId,
      'X-Market-Timestamp': lines.timestamp,
      'X-Market-Nonce': lines.nonce,
      'X-Market-Signature': `v1=${hmacSha256Hex(secret, joinLines(lines))}`,
    },
  };
}

/**
 * Makes a signer of many requests. Inspecting it shows nothing of the secret.
 *
 * @throws {@link ConfigurationError} when the key id or the secret is missing.
 */
export function createSigner(keyId: string, secret: string): Signer {
  checkCredential(keyId, secret);
  const key = secretKey(secret);
  return { keyId, signature: (lines) => `v1=${hmacSha256Hex(key, joinLines(lines))}` };
}

function checkCredential(keyId: unknown, secret: unknown): void {
  assertKeyId(keyId);
  if (typeof secret !== 'string' || secret === '') {
    throw new ConfigurationError('"secret" must be a non-empty string', {
      option: 'secret',
      variable: 'MARKET_SECRET',
    });
  }
}

/** @throws {@link ConfigurationError} for what cannot be the value of a header. */
export function assertKeyId(keyId: unknown): void {
  if (typeof keyId !== 'string' || !/^[\x21-\x7e]+$/.test(keyId)) {
    throw new ConfigurationError(
      '"keyId" must be the credential\'s key id: visible ASCII characters',
      {
        option: 'keyId',
        variable: 'MARKET_KEY_ID',
      },
    );
  }
}

function resolveTarget(input: SignRequestInput): {
  origin?: string;
  path: string;
  query: QueryInput;
} {
  if (input.url === undefined) {
    if (input.path === undefined) {
      throw invalidRequest('url', 'is missing; pass "url", or "path" with "query"');
    }
    return { path: input.path, query: input.query ?? '' };
  }
  if (input.path !== undefined || input.query !== undefined) {
    throw invalidRequest('url', 'excludes "path" and "query"; pass one or the others');
  }
  const text = String(input.url);
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidRequest('url', 'must be an absolute http(s) URL');
  }
  return { origin: url.origin, path: url.pathname, query: url.search };
}
