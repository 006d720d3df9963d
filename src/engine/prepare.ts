/**
 * What a call is, before its first attempt: path, query, body and key, made once and shared by all
 * attempts, so that a repeat is the same request with another nonce.
 */

import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../endpoints.js';
import { checkInput, idempotencyKey as idempotencyKeyRule, serializeBody } from '../input/index.js';
import {
  checkHeaders,
  mergeLimits,
  refuseMisspelt,
  requestProblem,
  type Limits,
} from '../call-options.js';
import type { Config } from '../config.js';
import type { RequestOptions } from '../options.js';
import { bodyIsSigned } from '../protocol/canonical-string.js';
import { emptySha256, sha256Hex } from '../protocol/digest.js';
import { fillPath } from '../protocol/path.js';
import { canonicalQuery, type QueryInput } from '../protocol/query.js';
import type { RawEndpoint } from './raw-request.js';

/** What a resource's method makes of its arguments, checked. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryInput;
  readonly body?: unknown;
  /** Values that must not appear in an error, should the service echo them. */
  readonly secrets?: readonly string[];
}

/**
 * One call: attempts add only nonce, timestamp and signature. Read-only by its type alone: to freeze
 * it takes 3 % of a call.
 */
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

export function prepareCall(
  config: Config,
  endpoint: Endpoint | RawEndpoint,
  input: CallInput,
  options: RequestOptions,
): PreparedCall {
  refuseBareOptions(options);
  refuseMisspelt(options, requestOptionNames, requestProblem);
  const path = config.prefix + fillPath(endpoint.path, input.params ?? {});
  const query = input.query === undefined ? '' : canonicalQuery(input.query);
  // The bytes are made once and hashed once.
  const body = input.body === undefined ? undefined : Buffer.from(serializeBody(input.body));
  const signed = body !== undefined && bodyIsSigned(endpoint.method);
  const idempotencyKey =
    checkKey(options.idempotencyKey) ?? (endpoint.keyed ? randomUUID() : undefined);
  return {
    endpoint,
    method: endpoint.method,
    path,
    query,
    target: query === '' ? path : `${path}?${query}`,
    body,
    bodySha256: signed ? sha256Hex(body) : emptySha256,
    headers: headersOf(config, options, body, idempotencyKey),
    idempotencyKey,
    limits: mergeLimits(options, config, requestProblem),
    signal: checkSignal(options.signal),
    secrets: input.secrets ?? [],
  };
}

/** Most calls add none: theirs are the client's own object. */
function headersOf(
  config: Config,
  options: RequestOptions,
  body: Uint8Array | undefined,
  idempotencyKey: string | undefined,
): Readonly<Record<string, string>> {
  if (options.headers === undefined && body === undefined && idempotencyKey === undefined) {
    return config.headers;
  }
  return Object.freeze({
    ...config.headers,
    ...checkHeaders(options.headers, requestProblem),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  });
}

/** The options of a call, for telling a misspelt one. */
export const requestOptionNames = {
  signal: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  idempotencyKey: true,
  headers: true,
} as const satisfies Record<keyof RequestOptions, true>;

/** A key or a signal that is given bare, in the place of the options, must not be lost. */
export function refuseBareOptions(options: unknown): void {
  if (options === undefined) return;
  const isObject = typeof options === 'object' && options !== null;
  if (isObject && !(Symbol.iterator in options) && !('aborted' in options)) return;
  throw requestProblem(
    'options',
    'must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }',
  );
}

function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  // Told by its shape: a signal may come from another realm, or from a polyfill.
  const given = (signal as Partial<AbortSignal> | null) ?? {};
  const listens = [given.addEventListener, given.removeEventListener].every(
    (method) => typeof method === 'function',
  );
  if (typeof given.aborted === 'boolean' && listens) return signal;
  throw requestProblem('signal', 'must be an AbortSignal');
}

function checkKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return checkInput(idempotencyKeyRule, key, { name: 'idempotencyKey' });
}
