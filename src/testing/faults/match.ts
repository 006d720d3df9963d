import { endpointName, endpoints, endpointsAt } from '../endpoints/table.js';

/** The facts of a request that a match may ask for. */
export interface FaultSubject {
  /** HTTP method as sent. */
  readonly method: string;
  /** Path on the wire without the gateway's prefix, for example `/api/partner/v1/orders`. */
  readonly path: string;
  /** The query as sent, without the question mark. */
  readonly rawQuery: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The endpoint in the specification's spelling, for example `'GET /orders/{public_id}'`. */
  readonly endpoint: string | undefined;
}

/**
 * Which calls: an endpoint as the specification writes it (`'POST /orders'`,
 * `'GET /orders/{public_id}'`), its path alone (`'/orders'`), a path that is one call of it
 * (`'/orders/ord_1'`), a pattern for `METHOD /full/path`, or a function.
 */
export type FaultMatch = string | RegExp | ((request: FaultSubject) => boolean);

/** Reads a match once; a text that no call can ever match is refused. */
export function matcher(match: FaultMatch): (request: FaultSubject) => boolean {
  if (typeof match === 'function') return match;
  if (match instanceof RegExp) {
    // A copy without state: a global pattern remembers where it was.
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
