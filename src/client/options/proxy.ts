/** resolveProxy: which HTTP proxy the requests of a client pass, and the rules for its address. */

import { invalidOption } from '../errors/configuration-error.js';
import { isLoopback } from './base-url.js';
import { parseUrl, percentDecoded } from '../../core/parse-url.js';

/** undici reads these in this order, the first of each pair that is set. */
const variables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/**
 * Checks `proxy`, and with `'environment'` the variables. Requests to loopback pass no proxy of the
 * environment: it could not reach this machine's emulator.
 *
 * @throws {@link ConfigurationError} that names the option or the variable, never its value: an
 * address may hold a password.
 */
export function resolveProxy(proxy: string | undefined, origin: string): string | undefined {
  if (proxy === undefined) return undefined;
  if (proxy !== 'environment') {
    assertProxyUrl(proxy, 'must be "environment" or');
    return proxy;
  }
  for (const variable of variables) {
    const value = process.env[variable] ?? '';
    if (value !== '') assertProxyUrl(value, `is "environment", where ${variable} must be`);
  }
  return isLoopback(new URL(origin).hostname) ? undefined : proxy;
}

function assertProxyUrl(proxy: string, rule: string): void {
  const url = parseUrl(proxy);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw invalidOption('proxy', `${rule} an address such as http://proxy.example:3128`);
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw invalidOption('proxy', `${rule} an address without path, query and fragment`);
  }
  // Both are decoded for the login: each call would fail.
  if ([url.username, url.password].some((each) => percentDecoded(each) === undefined)) {
    throw invalidOption('proxy', `${rule} an address whose login writes "%" as "%25"`);
  }
}
