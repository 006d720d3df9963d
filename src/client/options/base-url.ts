/** readBaseUrl: checks the service's address and splits it. */

import { invalidOption } from '../errors/configuration-error.js';
import { parseUrl } from '../../core/parse-url.js';

/**
 * Splits the service's address into origin and path prefix; refuses an address that is unsafe.
 *
 * @param allowHttp - hosts that may be reached without TLS.
 */
export function readBaseUrl(
  baseUrl: string,
  allowHttp: readonly string[],
): { origin: string; prefix: string; isUnsafe: boolean } {
  const problem = baseUrlProblem(baseUrl, allowHttp);
  if (problem !== undefined) throw invalidOption('baseUrl', problem);
  const url = new URL(baseUrl);
  const isUnsafe = url.protocol === 'http:' && !isLoopback(url.hostname);
  return { origin: url.origin, prefix: withoutTrailingSlashes(url.pathname), isUnsafe };
}

/** By a loop: the pattern /\/+$/ takes the square of the time if other characters follow. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function baseUrlProblem(baseUrl: string, allowHttp: readonly string[]): string | undefined {
  const url = parseUrl(baseUrl);
  if (url === undefined) return 'must be an absolute URL such as https://market.example';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  // A template adds a scheme to a variable that has one.
  if (/^https?$/.test(url.hostname)) return 'must have one scheme, and begins with two';
  if (/[?#]/.test(baseUrl)) return 'must not have a query or a fragment';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  const { protocol, hostname } = url;
  const allowed = allowHttp.map((host) => host.toLowerCase());
  if (protocol === 'http:' && !isLoopback(hostname) && !allowed.includes(hostname)) {
    return 'must be https. Plain http is for loopback, and for an emulator that "allowHttp" names';
  }
  if (/\/api\/partner(\/|$)/.test(url.pathname)) {
    return 'must end before /api/partner, since the client adds that path itself';
  }
  return undefined;
}

/** Not `*.localhost`, as an emulator takes it: a resolver may lead that away from this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
