/** prepareRawCall: finds a raw request's path in the endpoint table, and prepares the call. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import type { Endpoint } from '../endpoints.js';
import { findEndpoint, fullPath } from '../find-endpoint.js';
import { isPlainObject, isRecord } from '../../core/json.js';
import type { Output } from '../../core/schema/must.js';
import type { Config } from '../options/config.js';
import { rawRequest } from '../options/raw-request.js';
import { readRequestOptions } from '../options/request-options.js';
import { checkRawPath } from '../protocol/path.js';
import type { ResolvedEndpoint } from './check-arguments.js';
import { prepareCall, withCallContext, type PreparedCall } from './prepare.js';

type CheckedRequest = Output<typeof rawRequest>;

/** @throws {@link InvalidRequestError} with the method and path of the request, if they are valid. */
export function prepareRawCall(config: Config, raw: unknown): PreparedCall {
  if (!isRecord(raw)) {
    throw invalidRequest('request', 'must be an object with a path, such as { path: "/orders" }');
  }
  const request = readRequestOptions(rawRequest, raw, '{ path: "/orders" }');
  let endpoint: ResolvedEndpoint;
  try {
    endpoint = resolveEndpoint(request);
  } catch (error) {
    throw withCallContext(request, error);
  }
  return prepareCall(config, endpoint, request, request, () => request);
}

/**
 * The endpoint of a raw request. A path of the table keeps the checks and hints of its method, but
 * a required field may be left out.
 */
function resolveEndpoint(request: CheckedRequest): ResolvedEndpoint {
  const { query, body, repeatable } = request;
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  const path = checkRawPath(fullPath(request.path));
  if (body !== undefined && ['GET', 'HEAD'].includes(method)) {
    throw invalidRequest('body', 'must not be passed with GET or HEAD, which sign no body');
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
