/**
 * The canonical string, from the specification (part 5) and the raw request only. Nothing here is
 * shared with the client: a mistake in one of the two must show in the other.
 */

import { createHash } from 'node:crypto';
import type { RawRequest } from '../http/messages.js';

const emptyBodySha256 = sha256Hex('');

/** The six lines of the canonical string, in their order. */
export interface CanonicalLines {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly bodySha256: string;
}

type QueryPair = readonly [key: string, value: string];

export function canonicalLines(
  request: Pick<RawRequest, 'method' | 'rawPath' | 'rawQuery' | 'body' | 'bodySha256'>,
  timestamp: string,
  nonce: string,
): CanonicalLines {
  const method = request.method.toUpperCase();
  const unsignedBody = method === 'GET' || method === 'HEAD' || request.body.length === 0;
  return {
    method,
    path: request.rawPath,
    query: canonicalQueryOf(decodedPairs(request.rawQuery)),
    timestamp,
    nonce,
    bodySha256: unsignedBody ? emptyBodySha256 : (request.bodySha256 ?? sha256Hex(request.body)),
  };
}

export function joinLines(lines: CanonicalLines, separator = '\n'): string {
  return [
    lines.method,
    lines.path,
    lines.query,
    lines.timestamp,
    lines.nonce,
    lines.bodySha256,
  ].join(separator);
}

/** Splits a raw query and decodes it: `+` is a space, blank keys and values stay, empty pieces go. */
export function decodedPairs(rawQuery: string): QueryPair[] {
  const pairs: QueryPair[] = [];
  for (const piece of rawQuery.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    pairs.push(
      equals === -1
        ? [decodeComponent(piece), '']
        : [decodeComponent(piece.slice(0, equals)), decodeComponent(piece.slice(equals + 1))],
    );
  }
  return pairs;
}

export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function canonicalQueryOf(pairs: QueryPair[]): string {
  return pairs
    .sort(([keyA, valueA], [keyB, valueB]) => byCodeUnit(keyA, keyB) || byCodeUnit(valueA, valueB))
    .map(([key, value]) => `${encodeStrictly(key)}=${encodeStrictly(value)}`)
    .join('&');
}

/** Decodes byte by byte: a stray `%` stays itself and broken UTF-8 becomes U+FFFD. */
function decodeComponent(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const latin1 = Buffer.from(text.replaceAll('+', ' '), 'utf8').toString('latin1');
  const bytes = latin1.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Sorts by UTF-16 units. The specification does not say; its encoding is that of a JavaScript
 * reference (a URI component and five more characters), and this is the order of JavaScript.
 */
function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
