/** toCurl: a request of the log as a line for a shell. */

import type { RequestView } from './wire.js';

/** curl sets them itself, from the address and the body. */
const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

/**
 * The request as it came, signature included: its nonce was used, so the emulator says
 * `replay_detected`, unless it never saw the original.
 */
export function toCurl(baseUrl: string, request: RequestView): string {
  const { method, rawPath, query, headers, body } = request;
  const url = `${new URL(baseUrl).origin}${rawPath}${query === '' ? '' : `?${query}`}`;
  return [
    `curl -X ${quote(method)} ${quote(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !ownHeaders.includes(name))
      .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-binary ${quote(body)}`]),
  ].join(' ');
}

/** In single quotes a shell reads every character as itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
