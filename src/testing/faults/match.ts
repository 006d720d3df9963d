/** Matchers: the calls that a fault applies to. */

import { endpointName, endpoints, endpointsAt } from '../endpoints/table.js';

/** The request that a matcher function receives. */
export interface FaultRequest {
  /** HTTP method as sent. */
  readonly method: string;
  /** Path on the wire without the gateway's prefix, for example `/api/partner/v1/orders`. */
  readonly path: string;
  /** The query as sent, without the question mark. */
  readonly rawQuery: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body parsed as JSON; `undefined` if it is not JSON. So a fault can be for one domain only. A body in the form
   * of a profile has this package's names here.
   */
  readonly json: unknown;
  /** The endpoint in the specification's spelling, for example `'GET /orders/{public_id}'`. */
  readonly endpoint: string | undefined;
}

/**
 * The calls of a fault: an endpoint as the specification writes it (`'POST /orders'`,
 * `'GET /orders/{public_id}'`), only its path (`'/orders'`), a path that is one call of it
 * (`'/orders/ord_1'`), a pattern for `METHOD /full/path`, or a function.
 */
export type FaultMatcher = string | RegExp | ((request: FaultRequest) => boolean);

/** Compiles a matcher; throws for a string that no call can match. */
export function createMatcher(match: FaultMatcher): (request: FaultRequest) => boolean {
  if (typeof match === 'function') return match;
  if (match instanceof RegExp) {
    // A global or sticky pattern keeps state between calls: copy it without.
    const pattern = new RegExp(match.source, match.flags.replace(/[gy]/g, ''));
    return ({ method, path }) => pattern.test(`${method} ${path}`);
  }
  const parts = /^(?:([A-Z]+) )?(\/\S*)$/.exec(match);
  const [method, path = ''] = parts?.slice(1) ?? [];
  const named = endpoints.filter(
    (endpoint) => endpoint.path === path && (method ?? endpoint.method) === endpoint.method,
  );
  if (named.length > 0) {
    const names = new Set(named.map(endpointName));
    return ({ endpoint }) => endpoint !== undefined && names.has(endpoint);
  }
  const full = fullPaths(path).find((each) =>
    endpointsAt(each).some(({ endpoint }) => (method ?? endpoint.method) === endpoint.method),
  );
  if (parts === null || full === undefined) {
    throw new TypeError(
      `"match" ${JSON.stringify(match)} is not a call of this API; write it like 'POST /orders' or 'GET /orders/{public_id}', or give a RegExp or a function`,
    );
  }
  return (request) => request.path === full && (method ?? request.method) === request.method;
}

function fullPaths(path: string): string[] {
  return [path, `/api/partner/v1${path}`, `/api/partner${path}`];
}
