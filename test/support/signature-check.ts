/**
 * Checks a request as the service does, written from part 5 of the specification and from nothing
 * of the client: what is wrong in one of them cannot be wrong in both.
 */

import { createHash, createHmac } from 'node:crypto';
import type { SentRequest } from './msw-dispatcher.js';

/** Whether the four headers are there and the signature is that of this request. */
export function isSigned(request: SentRequest, credential: { keyId: string; secret: string }) {
  const { headers } = request;
  const [path = '', query = ''] = splitOnce(request.target, '?');
  const bytes = request.method === 'GET' || request.method === 'HEAD' ? '' : request.body;
  const lines = [
    request.method,
    path,
    canonical(query),
    headers['x-market-timestamp'],
    headers['x-market-nonce'],
    createHash('sha256').update(bytes).digest('hex'),
  ];
  const hmac = createHmac('sha256', credential.secret).update(lines.join('\n')).digest('hex');
  return (
    headers['x-market-key-id'] === credential.keyId &&
    /^\d{10}$/.test(headers['x-market-timestamp'] ?? '') &&
    uuidV4.test(headers['x-market-nonce'] ?? '') &&
    headers['x-market-signature'] === `v1=${hmac}`
  );
}

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function canonical(query: string): string {
  if (query === '') return '';
  const pairs = query.split('&').map((pair) => {
    const [key = '', value = ''] = splitOnce(pair, '=');
    return [decode(key), decode(value)] as const;
  });
  pairs.sort(([keyA, valueA], [keyB, valueB]) => order(keyA, keyB) || order(valueA, valueB));
  return pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
