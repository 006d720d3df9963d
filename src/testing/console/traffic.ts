/** What a call got: refused or not, the name of its error, and how many there are by code and endpoint. */

import type { RequestView } from './wire.js';

export interface ErrorTotal {
  readonly code: string;
  readonly endpoint: string;
  readonly count: number;
  readonly lastAt: number;
}

/**
 * Whether a call got something other than a 2xx: an error, a redirect, or no response at all. Only the page of
 * a checkout leads to another address by itself.
 */
export function isRefused({ status, verdict }: Pick<RequestView, 'status' | 'verdict'>): boolean {
  return status === undefined || status >= (verdict === 'public' ? 400 : 300);
}

/** The code of an error, or words for one without a code: a reset, or the page of a gateway. */
export function errorName({ status, errorCode }: RequestView): string {
  return errorCode ?? (status === undefined ? 'connection reset' : `status ${status}`);
}

/** A path that is not an endpoint may be anything, so all of them count together. */
export function endpointName({ endpoint }: RequestView): string {
  return endpoint ?? 'no endpoint';
}

export function endpointOf({ endpoint, method, path }: RequestView): string {
  return endpoint ?? `${method} ${path}`;
}

/** One entry for each code and endpoint, the most frequent first. */
export function countErrors(requests: readonly RequestView[]): ErrorTotal[] {
  const totals = new Map<string, ErrorTotal>();
  for (const request of requests.filter(isRefused)) {
    const [code, endpoint] = [errorName(request), endpointName(request)];
    const key = `${code} ${endpoint}`;
    const count = (totals.get(key)?.count ?? 0) + 1;
    totals.set(key, { code, endpoint, count, lastAt: request.receivedAt });
  }
  return [...totals.values()].sort((a, b) => b.count - a.count);
}
