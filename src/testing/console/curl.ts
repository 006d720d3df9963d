/** What the page shows or does, as lines for a shell. */

import type { DeliveryView, RequestView } from './wire.js';

/** curl sets them itself, from the address and the body. */
const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

/**
 * The request as it came, signature included: its nonce was used, so the emulator says
 * `replay_detected`, unless it never saw the original.
 */
export function requestCurl(baseUrl: string, request: RequestView): string {
  const { method, rawPath, query, headers, body } = request;
  const url = `${new URL(baseUrl).origin}${rawPath}${query === '' ? '' : `?${query}`}`;
  const sent = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name));
  return curl(method, url, sent, body);
}

/** A delivery as it was sent: the same bytes with the same signature. */
export function deliveryCurl({ url, body, signature }: DeliveryView): string {
  const headers = { 'content-type': 'application/json', 'x-market-signature': signature };
  return curl('POST', url, Object.entries(headers), body);
}

/** A call of the control API. */
export function controlCurl(url: string, body: object, hasToken: boolean): string {
  const token = hasToken ? ` -H 'authorization: Bearer TOKEN'` : '';
  return `curl --json ${quote(JSON.stringify(body))}${token} ${quote(url)}`;
}

function curl(
  method: string,
  url: string,
  headers: readonly (readonly [name: string, value: string])[],
  body: string,
): string {
  return [
    // curl itself reads brackets in an address as a pattern, and dots in a path as folders.
    `curl -g --path-as-is -X ${quote(method)} ${quote(url)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Not --data-binary, to which a body that begins with "@" is the name of a file to send.
    ...(body === '' ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' ');
}

/** In single quotes a shell reads every character as itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
