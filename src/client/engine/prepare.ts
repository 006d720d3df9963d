/** prepareCall: checks a call once and builds the request that all of its attempts share. */

import { randomUUID } from 'node:crypto';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { CallContext } from '../errors/create-error.js';
import type { CallFacts } from '../errors/market-error.js';
import { serializeBody } from '../input/index.js';
import type { Profile } from '../profile/profile.js';
import { wireInput, wireQuery } from '../profile/to-theirs.js';
import { canonicalQuery } from '../protocol/query.js';
import type { Config, Limits } from '../options/config.js';
import { readCallOptions, validKeyOf, type CallOptions } from '../options/request-options.js';
import { hasSignedBody } from '../protocol/canonical-string.js';
import { emptySha256, sha256Hex } from '../protocol/digest.js';
import {
  checkedBody,
  checkedPath,
  checkedQuery,
  secretsOf,
  type CallArguments,
  type ResolvedEndpoint,
} from './check-arguments.js';

/**
 * One call; each attempt adds only nonce, timestamp and signature. Read-only in its type only, as
 * freezing it takes 3 % of a call.
 */
export interface PreparedCall {
  readonly profile: Profile | undefined;
  readonly endpoint: ResolvedEndpoint;
  readonly method: string;
  /** The full path on the wire. */
  readonly path: string;
  readonly query: string;
  /** Path and query, as on the wire. */
  readonly target: string;
  /** What the body was made of, in its final form. */
  readonly input: unknown;
  readonly body: Uint8Array | undefined;
  readonly bodySha256: string;
  /** All headers but the signed ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | undefined;
  /** Whether the caller passed the key, so that an earlier call may have used it. */
  readonly keyFromCaller: boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  /** Where in its list the page begins, if not at the beginning. */
  readonly position?: string | undefined;
  /** The caller's own fields for log lines and spans. */
  readonly context: CallOptions['context'];
  /** The secrets of the body and of the client's own credential, which no error may show. */
  readonly secrets: readonly string[];
}

/** @throws {@link InvalidRequestError} with the call's method and path, and the caller's key. */
export function prepareCall(
  config: Config,
  endpoint: ResolvedEndpoint,
  args: CallArguments,
  rawOptions: unknown,
  readOptions: (options: unknown) => CallOptions = readCallOptions,
): PreparedCall {
  const { method } = endpoint;
  // The template, until the parameters are known to be valid.
  let path = config.prefix + endpoint.path;
  try {
    path = config.prefix + checkedPath(endpoint, args.param);
    // A raw request is sent as it is.
    const profile = endpoint.allowsAnyBody === true ? undefined : config.profile;
    const query = sentQuery(profile, endpoint, checkedQuery(endpoint, args.query));
    const value = checkedBody(endpoint, args.body);
    const secrets = secretsOf(config.credential.secret, endpoint, value);
    const text =
      value === undefined
        ? undefined
        : serializeBody(wireInput(profile, endpoint.name, value, args.body));
    const body = text === undefined ? undefined : Buffer.from(text);
    const options = readOptions(rawOptions);
    const idempotencyKey =
      options.idempotencyKey ?? (endpoint.idempotencyKey === 'required' ? randomUUID() : undefined);
    return {
      endpoint,
      profile,
      method,
      path,
      query,
      target: query === '' ? path : `${path}?${query}`,
      input: value,
      body,
      bodySha256: body !== undefined && hasSignedBody(method) ? sha256Hex(body) : emptySha256,
      headers: requestHeaders(config, method, options, body, idempotencyKey),
      idempotencyKey,
      keyFromCaller: options.idempotencyKey !== undefined,
      limits: {
        timeoutMs: options.timeoutMs ?? config.timeoutMs,
        deadlineMs: options.deadlineMs ?? config.deadlineMs,
        maxRetries: options.maxRetries ?? config.maxRetries,
      },
      signal: options.signal,
      context: options.context,
      secrets,
    };
  } catch (error) {
    throw withCallContext({ method, path, idempotencyKey: validKeyOf(rawOptions) }, error);
  }
}

/** The query under the service's names. Those of the history and of the transactions' dates are documented. */
function sentQuery(
  profile: Profile | undefined,
  { name, cursorParam }: ResolvedEndpoint,
  query: string,
): string {
  if (profile === undefined || query === '' || cursorParam !== undefined) return query;
  const documented = name === 'orders.listTransactions';
  const { filters, ...others } = profile;
  const pairs = wireQuery(documented ? others : { ...others, ...(filters && { filters }) }, [
    ...new URLSearchParams(query),
  ]);
  return canonicalQuery(pairs);
}

/** What the error of a call says about the call itself, whatever its attempts did. */
export function contextOf(call: PreparedCall): Omit<CallContext, 'nonces' | 'outcome' | 'secrets'> {
  const { endpoint } = call;
  return {
    method: call.method,
    path: call.path,
    placesOrder: endpoint.idempotencyKey === 'required',
    repeatable: endpoint.repeatable,
    scopes: endpoint.scopes,
    lookUpHint: endpoint.lookUpHint,
    needsAffiliateAccount: endpoint.needsAffiliateAccount,
    idempotencyKey: call.idempotencyKey,
    keyFromCaller: call.keyFromCaller,
  };
}

/** Adds method, path and key to validation errors that do not have them. */
export function withCallContext(call: CallFacts, error: unknown): unknown {
  if (!(error instanceof InvalidRequestError) || error.method !== undefined) return error;
  const { method, path, idempotencyKey } = call;
  return new InvalidRequestError(error.issues, { method, path, idempotencyKey }, error);
}

/** Returns the client's frozen headers unchanged if the call adds none. */
function requestHeaders(
  config: Config,
  method: string,
  options: CallOptions,
  body: Uint8Array | undefined,
  idempotencyKey: string | undefined,
): Readonly<Record<string, string>> {
  const clientHeaders = hasSignedBody(method) ? config.headers : config.readHeaders;
  if (options.headers === undefined && body === undefined && idempotencyKey === undefined) {
    return clientHeaders;
  }
  return {
    ...clientHeaders,
    ...options.headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
}
