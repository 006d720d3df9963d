/** Finds the row of the endpoint table for a concrete path. */

import { endpoints, v1, type Endpoint } from './endpoints.js';

const all: readonly Endpoint[] = Object.values(endpoints).flatMap((group) => Object.values(group));
const byMethodAndPath = new Map(
  all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
);

const literalLengths = new Set(
  all.filter(({ path }) => !path.includes('{')).map(({ path }) => path.length),
);

/** The endpoint of a method and a concrete path, for `market.request`. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
  const candidates = all.filter(
    (endpoint) => endpoint.method === method && matchesTemplate(endpoint.path, path),
  );
  // A literal path wins over one with a parameter: /domains/search over /domains/{name}.
  return candidates.find((endpoint) => !endpoint.path.includes('{')) ?? candidates[0];
}

/**
 * The endpoint whose literal path a filled template spells: `getCase('eligibility')` would call
 * another endpoint. Case is ignored, since some gateways ignore it.
 */
export function findLiteralEndpoint(method: string, path: string): Endpoint | undefined {
  // Most paths end here: to build the key takes a hundredth of a call.
  if (!literalLengths.has(path.length)) return undefined;
  return byMethodAndPath.get(`${method} ${path.toLowerCase()}`);
}

/** The full path of one that may lack the version prefix: `/orders` for `/api/partner/v1/orders`. */
export function fullPath(path: string): string {
  return path.startsWith('/api/') ? path : v1 + path;
}

function matchesTemplate(template: string, path: string): boolean {
  const names = template.split('/');
  const segments = path.split('/');
  return (
    names.length === segments.length &&
    names.every((name, index) => name.startsWith('{') || name === segments[index])
  );
}
