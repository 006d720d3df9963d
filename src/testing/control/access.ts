/**
 * Who may use the control API. A page of another site can make a browser send requests to loopback,
 * so the address by itself protects nothing.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hostnameOf, isLoopback as isLoopbackName } from '../http/loopback.js';
import { ControlError } from './control-error.js';

export interface AccessRules {
  /** Whether the emulator listens on a loopback address. */
  readonly isLoopback: boolean;
  readonly token: string | undefined;
}

/** @throws {@link ControlError} unless the request comes from this machine and from no other site */
export function checkSite(
  headers: IncomingHttpHeaders,
  { isLoopback }: Pick<AccessRules, 'isLoopback'>,
): void {
  const host = headers.host ?? '';
  // A name of another site that resolves to 127.0.0.1 (DNS rebinding) is no loopback name. The port may
  // be any: that of a forwarded port is another.
  if (isLoopback && !isLoopbackName(hostnameOf(`http://${host}`))) {
    throw new ControlError(
      421,
      'wrong_host',
      '"Host" must be a loopback name, such as 127.0.0.1 or localhost.',
    );
  }
  const { origin } = headers;
  // https in front of a tunnel that ends TLS: the page is still this emulator's own.
  if (origin !== undefined && ![`http://${host}`, `https://${host}`].includes(origin)) {
    throw new ControlError(403, 'wrong_origin', `"Origin" must be http://${host}, or absent.`);
  }
  const site = headers['sec-fetch-site'];
  // Another port of localhost is the same site, but not the same origin.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ControlError(
      403,
      'wrong_site',
      '"Sec-Fetch-Site" must be same-origin, none, or absent.',
    );
  }
}

/** @throws {@link ControlError} unless the request has the token, and is JSON if it is a write */
export function checkCall(
  method: string,
  headers: IncomingHttpHeaders,
  { token }: Pick<AccessRules, 'token'>,
): void {
  if (token !== undefined && !hasToken(headers.authorization, token)) {
    throw new ControlError(
      401,
      'wrong_token',
      '"Authorization" must be "Bearer" and the control token.',
    );
  }
  // Forms and beacons of other sites cannot send this type without asking first.
  if (method !== 'GET' && !/^application\/json(?:\s*;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ControlError(415, 'wrong_content_type', '"Content-Type" must be application/json.');
  }
}

function hasToken(authorization: string | undefined, token: string): boolean {
  const [, given = ''] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
