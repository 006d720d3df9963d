/** A call of any path, for what the SDK has no method for: as it is given, and as the engine takes it. */

import { isRecord } from '../assumptions.js';
import { refuseMisspelt, requestProblem } from '../call-options.js';
import { endpointOf, fullPath, type Endpoint } from '../endpoints.js';
import type { RequestOptions } from '../options.js';
import { checkRawPath } from '../protocol/path.js';
import type { QueryInput } from '../protocol/query.js';
import { requestOptionNames, type CallInput } from './prepare.js';

/**
 * A call of any path, as `market.request` takes it.
 *
 * @example
 * ```ts
 * import { MarketClient, type RawRequest } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const request: RawRequest = {
 *   method: 'POST',
 *   path: '/links',
 *   body: { type: 'domain', domain: 'brew.example' },
 *   repeatable: true, // a second link does no harm: retry it after an unknown outcome
 * };
 * const link = await market.request<{ url: string }>(request);
 * console.log(link.url);
 * ```
 */
export interface RawRequest extends RequestOptions {
  /** HTTP method. Default: GET, or POST with a body. */
  method?: string | undefined;
  /** `/orders` for the versioned API, or the full path from `/api/`. */
  path: string;
  /** Query parameters in any form. */
  query?: QueryInput | undefined;
  /** A value that is sent as JSON; not with GET and HEAD. */
  body?: unknown;
  /**
   * Whether a repeat does no harm, so that the call may be retried after an unknown outcome.
   * Default: what the specification's table says of the path; elsewhere true for GET, HEAD, PUT
   * and DELETE.
   */
  repeatable?: boolean | undefined;
}

/** What is known of a path that may not be in the table. */
export type RawEndpoint = Omit<Endpoint, 'method'> & { readonly method: string };

/** The table's row for a raw request, or one made for a path that the table does not know. */
export function rawEndpoint(request: RawRequest): RawEndpoint {
  if (!isRecord(request)) {
    throw requestProblem('request', 'must be an object with a path, such as { path: "/orders" }');
  }
  const method = rawMethod(request);
  const path = rawPath(request);
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
    documents: [],
  };
}

export function rawInput(request: RawRequest): CallInput {
  const { query, body, repeatable } = request;
  refuseMisspelt(request, rawRequestNames, requestProblem);
  if (repeatable !== undefined && typeof repeatable !== 'boolean') {
    throw requestProblem('repeatable', 'must be true or false');
  }
  if (body !== undefined && ['GET', 'HEAD'].includes(rawMethod(request))) {
    throw requestProblem('body', 'must not be given with GET or HEAD: it could not be signed');
  }
  return {
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    // The one secret that a body of this API holds is a webhook's (specification, part 2).
    secrets: isRecord(body) && typeof body.secret === 'string' ? [body.secret] : [],
  };
}

const rawRequestNames = {
  ...requestOptionNames,
  method: true,
  path: true,
  query: true,
  body: true,
  repeatable: true,
} as const satisfies Record<keyof RawRequest, true>;

function rawMethod({ method: given, body }: RawRequest): string {
  const method: unknown = given ?? (body === undefined ? 'GET' : 'POST');
  if (typeof method === 'string' && /^[a-z]+$/i.test(method)) return method.toUpperCase();
  throw requestProblem('method', 'must be an HTTP method such as GET or POST');
}

function rawPath({ path }: { path: unknown }): string {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw requestProblem('path', 'must be a path that starts with "/", such as "/orders"');
  }
  return checkRawPath(fullPath(path));
}
