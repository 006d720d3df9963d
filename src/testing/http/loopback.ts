/** Which names are this machine's own, and which web pages may call an emulator that listens there. */

import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { parseUrl } from '../../core/parse-url.js';

/** `::1`, and `127.0.0.0/8` written as IPv6. */
const loopbackIPv6 = /^\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]$/;

/** By the name only: a look-up could lead anywhere. IPv6 addresses may be in brackets. */
export function isLoopback(hostname: string): boolean {
  // In the one spelling of URLs: of "::ffff:127.0.0.1" that is "[::ffff:7f00:1]".
  const name = hostnameOf(`http://${isIPv6(hostname) ? `[${hostname}]` : hostname}`);
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3})$/.test(name) || loopbackIPv6.test(name);
}

/** A request that comes through a page of another site. */
export interface SiteRefusal {
  readonly status: 403 | 421;
  readonly code: 'wrong_host' | 'wrong_origin';
  readonly message: string;
}

/**
 * Why a request to an emulator on loopback is refused; `undefined` if it is not. A page of another
 * site can reach loopback through its visitor's browser, and the secrets of an emulator are known.
 */
export function refuseForeignSite(
  { host, origin }: IncomingHttpHeaders,
  publicUrl?: string,
): SiteRefusal | undefined {
  const publicName = publicUrl === undefined ? undefined : hostnameOf(publicUrl);
  const isOwn = (address: string) =>
    isLoopback(hostnameOf(address)) || hostnameOf(address) === publicName;
  // A name of another site that resolves to 127.0.0.1 (DNS rebinding). Every browser sends a Host.
  if (host !== undefined && !isOwn(`http://${host}`)) {
    return {
      status: 421,
      code: 'wrong_host',
      message: `This emulator listens on loopback only: "Host" must be a loopback name; received ${JSON.stringify(host)}. To use it by another name, start it with --host 0.0.0.0, or with --public-url if that name leads here.`,
    };
  }
  if (origin !== undefined && !isOwn(origin)) {
    return {
      status: 403,
      code: 'wrong_origin',
      message: `This emulator listens on loopback only: "Origin" must be a loopback address, or absent; received ${JSON.stringify(origin)}.`,
    };
  }
  return undefined;
}

/** Empty for text that is no address. */
export function hostnameOf(address: string): string {
  return parseUrl(address)?.hostname ?? '';
}
