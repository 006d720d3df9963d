/**
 * What a call is, before its first attempt: path, query, body and key, made once and shared by all
 * attempts, so that a repeat is the same request with another nonce.
 */

import { randomUUID } from 'node:crypto';
import { endpointOf, fullPath, type Endpoint } from '../endpoints.js';
import { serializeBody } from '../input/json-body.js';
import { checkHeaders, mergeLimits, requestProblem, type Config, type Limits } from '../config.js';
import type { RequestOptions } from '../options.js';
import { bodyIsSigned } from '../protocol/canonical-string.js';
import { emptySha256, sha256Hex } from '../protocol/digest.js';
import { checkRawPath, fillPath } from '../protocol/path.js';
import { canonicalQuery, type QueryInput } from '../protocol/query.js';
import { version } from '../version.js';

/** What a resource's method makes of its arguments, checked. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryInput;
  readonly body?: unknown;
  /** Values that must not appear in an error, should the service echo them. */
  readonly secrets?: readonly string[];
}

/** A call of any path, as `market.request` takes it. */
export interface RawRequest extends RequestOptions {
  /** HTTP method. Default: GET, or POST with a body. */
  method?: string | undefined;
  /** `/orders` for the versioned API, or the full path from `/api/`. */
  path: string;
  /** Query parameters in any form. */
  query?: QueryInput | undefined;
  /** A value that is sent as JSON. */
  body?: unknown;
  /**
   * Whether a repeat does no harm, so that the call may be retried after an unknown outcome.
   * Default: what the specification's table says of the path; elsewhere true for GET, HEAD, PUT
   * and DELETE.
   */
  repeatable?: boolean | undefined;
}

/** One call, frozen: attempts add only nonce, timestamp and signature. */
export interface PreparedCall {
  readonly endpoint: Endpoint | RawEndpoint;
  readonly method: string;
  /** The full path on the wire. */
  readonly path: string;
  readonly query: string;
  /** Path and query, as on the wire. */
  readonly target: string;
  readonly body: Uint8Array | undefined;
  readonly bodySha256: string;
  /** All headers but the signed ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  readonly secrets: readonly string[];
}

/** What is known of a path that is not in the table. */
export type RawEndpoint = Omit<Endpoint, 'method'> & { readonly method: string };

export function prepareCall(
  config: Config,
  endpoint: Endpoint | RawEndpoint,
  input: CallInput,
  options: RequestOptions,
): PreparedCall {
  const path = config.prefix + fillPath(endpoint.path, input.params ?? {});
  const query = input.query === undefined ? '' : canonicalQuery(input.query);
  // The bytes are made once and hashed once.
  const body = input.body === undefined ? undefined : Buffer.from(serializeBody(input.body));
  const signed = body !== undefined && bodyIsSigned(endpoint.method);
  const idempotencyKey =
    checkKey(options.idempotencyKey) ?? (endpoint.keyed ? randomUUID() : undefined);
  return Object.freeze({
    endpoint,
    method: endpoint.method,
    path,
    query,
    target: query === '' ? path : `${path}?${query}`,
    body,
    bodySha256: signed ? sha256Hex(body) : emptySha256,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...config.headers,
      ...checkHeaders(options.headers, requestProblem),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    idempotencyKey,
    limits: mergeLimits(options, config, requestProblem),
    signal: options.signal,
    secrets: input.secrets ?? [],
  });
}

/** The table's row for a raw request, or one made for a path that the table does not know. */
export function rawEndpoint(request: RawRequest): Endpoint | RawEndpoint {
  const method = (request.method ?? (request.body === undefined ? 'GET' : 'POST')).toUpperCase();
  const path = checkRawPath(fullPath(request.path));
  const known = endpointOf(method, path);
  const repeatable =
    request.repeatable ?? known?.repeatable ?? ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method);
  return {
    name: 'request',
    method,
    path,
    scopes: known?.scopes ?? [],
    keyed: known?.keyed ?? false,
    repeatable,
    documents: {},
  };
}

function checkKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw requestProblem(
      'idempotencyKey',
      'must be 1 to 255 visible ASCII characters, such as a UUID v4',
    );
  }
  return key;
}

const userAgent = `market-partner-sdk/${version}${runtime()}`;

function runtime(): string {
  const versions: Record<string, string | undefined> = process.versions;
  const name = ['bun', 'deno', 'node'].find((one) => versions[one] !== undefined);
  return name === undefined ? '' : ` ${name}/${versions[name] ?? ''}`;
}
