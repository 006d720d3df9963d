/** readBaseUrl: checks the service's address and splits it. */

import { ConfigurationError } from '../errors/configuration-error.js';

/** Splits the service's address into origin and path prefix; refuses an address that is unsafe. */
export function readBaseUrl(baseUrl: string): { origin: string; prefix: string } {
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) {
    throw new ConfigurationError(`"baseUrl" ${problem}`, {
      option: 'baseUrl',
      variable: 'MARKET_BASE_URL',
    });
  }
  const url = new URL(baseUrl);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

function baseUrlProblem(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return 'must be an absolute URL such as https://market.example';
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (/[?#]/.test(baseUrl)) return 'must not have a query or a fragment';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'must be https: plain http is for loopback only';
  }
  if (/\/api\/partner(\/|$)/.test(url.pathname)) {
    return 'must end before /api/partner: the client adds that path itself';
  }
  return undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
