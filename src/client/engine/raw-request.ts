/** prepareRawCall: finds a raw request's path in the endpoint table, and prepares the call. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import type { Endpoint } from '../endpoints.js';
import { findEndpoint, fullPath } from '../find-endpoint.js';
import { readInput } from '../input/index.js';
import { isPlainObject, isRecord } from '../../json.js';
import type { Config } from '../options/config.js';
import { rawRequestTable, type RawRequest } from '../options/raw-request.js';
import { readRequestOptions } from '../options/request-options.js';
import { checkRawPath } from '../protocol/path.js';
import type { CallArguments, ResolvedEndpoint } from './check-arguments.js';
import { prepareCall, withCallContext, type PreparedCall } from './prepare.js';

/** @throws {@link InvalidRequestError} with the method and path of the request, if it has them. */
export function prepareRawCall(config: Config, raw: unknown): PreparedCall {
  let request: RawRequest | undefined;
  let endpoint: ResolvedEndpoint;
  let args: CallArguments;
  try {
    if (!isRecord(raw)) {
      throw invalidRequest('request', 'must be an object with a path, such as { path: "/orders" }');
    }
    const known = readRequestOptions<RawRequest>(raw, rawRequestTable);
    request = known;
    args = readInput('query', () => rawArguments(known));
    endpoint = resolveEndpoint(known, args);
  } catch (error) {
    throw withCallContext(request ?? {}, error);
  }
  return prepareCall(config, endpoint, args, request, rawRequestTable);
}

/**
 * The endpoint of a raw request. A path of the table keeps the checks and hints of its method, but
 * a required field may be left out.
 */
function resolveEndpoint(request: RawRequest, { query, body }: CallArguments): ResolvedEndpoint {
  const { repeatable } = request;
  const method = rawMethod(request);
  const path = rawPath(request);
  if (body !== undefined && ['GET', 'HEAD'].includes(method)) {
    throw invalidRequest('body', 'must not be passed with GET or HEAD: it could not be signed');
  }
  const known = findEndpoint(method, path);
  return {
    ...(known === undefined ? unknownEndpoint(method) : withoutRequiredFields(known, query, body)),
    ...(repeatable === undefined ? {} : { repeatable }),
    name: 'request',
    method,
    path,
    param: undefined,
    documentedFields: [],
    allowsAnyBody: true,
  };
}

/** The arguments of a raw request, each read once. `null` leaves a parameter out, as in {@link QueryInput}. */
function rawArguments({ query, body }: RawRequest): CallArguments {
  if (!isPlainObject(query)) return { query, body };
  const present = Object.entries(query).filter(([, value]) => value !== null);
  return { query: Object.fromEntries(present), body };
}

function withoutRequiredFields(
  { query, body, ...endpoint }: Endpoint,
  rawQuery: unknown,
  rawBody: unknown,
) {
  return {
    ...endpoint,
    // A string, pairs and URLSearchParams have no types to check.
    ...(query !== undefined && isPlainObject(rawQuery)
      ? { query: { name: 'query', schema: query.schema.partial } }
      : {}),
    ...(body !== undefined && rawBody !== undefined
      ? { body: { name: 'body', schema: body.schema.partial } }
      : {}),
  };
}

/** The one secret that a body of this API has is a webhook's (specification, part 2). */
function unknownEndpoint(method: string) {
  const repeatable = ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method);
  return { scopes: [], secretFields: ['secret'], repeatable };
}

function rawMethod({ method, body }: RawRequest): string {
  const verb: unknown = method ?? (body === undefined ? 'GET' : 'POST');
  if (typeof verb === 'string' && /^[a-z]+$/i.test(verb)) return verb.toUpperCase();
  throw invalidRequest('method', 'must be an HTTP method such as GET or POST');
}

function rawPath({ path }: { path: unknown }): string {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw invalidRequest('path', 'must be a path that starts with "/", such as "/orders"');
  }
  return checkRawPath(fullPath(path));
}
