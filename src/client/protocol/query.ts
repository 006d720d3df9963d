/**
 * The canonical query (specification, part 5): line 3 of what is signed, and the very string that
 * goes on the wire. It is built once and never re-encoded: URL parsers, form encoders and HTTP
 * clients each escape a different set of characters.
 */

import { invalidRequest } from '../errors/invalid-request-error.js';
import { isObject } from '../../core/json.js';

/** A value of a query parameter; `undefined` and `null` leave the parameter out. */
export type QueryValue = string | number | boolean | null | undefined;

/**
 * A query in any of the usual forms: a raw string (with or without the leading `?`), pairs,
 * `URLSearchParams`, or an object whose arrays are repeated parameters.
 */
export type QueryInput =
  | string
  | URLSearchParams
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

type Pair = readonly [key: string, value: string];

const unreserved = /^[A-Za-z0-9\-_.~]*$/;

/**
 * Writes a query in the canonical form that the service signs: decoded, sorted by key and then by
 * value, each part percent-encoded with upper-case hex, blanks kept.
 *
 * Keys and values are compared by UTF-16 code unit. A raw string is read as forms are: `+` is a
 * space, `b` is `b=`, empty segments are dropped, and a `%` that starts no escape is itself.
 *
 * @throws {@link InvalidRequestError} when a key or value contains a lone surrogate, which
 * has no UTF-8 form, or when a value is not a {@link QueryValue}.
 * @see specification, part 5, "Canonical query"
 *
 * @example
 * ```ts
 * import { canonicalQuery } from 'market-partner-sdk';
 *
 * canonicalQuery({ status: 'SETTLED', domain: 'brew.example' }); // 'domain=brew.example&status=SETTLED'
 * canonicalQuery('?q=coffee+shop'); // 'q=coffee%20shop'
 * ```
 */
export function canonicalQuery(query: QueryInput): string {
  if (query === '') return '';
  const pairs = toPairs(query);
  if (pairs.length > 1) pairs.sort(byKeyThenValue);
  return pairs.map(([key, value]) => `${encodePart(key, key)}=${encodePart(value, key)}`).join('&');
}

/** Percent-encodes as `encodeURIComponent` does, and also the characters ! ' ( ) *. */
export function encodePart(text: string, name: string): string {
  if (unreserved.test(text)) return text;
  return encodeURIComponent(wellFormed(text, name)).replace(/[!'()*]/g, percentEncode);
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function toPairs(query: QueryInput): Pair[] {
  if (typeof query === 'string') return parseQuery(wellFormed(query, 'query'));
  if (!isObject(query)) {
    throw invalidRequest(
      'query',
      'must be a string, pairs, URLSearchParams or an object of parameters',
    );
  }
  if (Symbol.iterator in query) return Array.from(query, toPair);
  return Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue])
      .filter((one) => one !== undefined && one !== null)
      .map((one) => [key, toText(one, key)] as const),
  );
}

/** URLSearchParams reads a query so, but Node's corrupts characters beyond ASCII after a stray `%`. */
function parseQuery(query: string): Pair[] {
  return query
    .replace(/^\?/, '')
    .split('&')
    .filter((segment) => segment !== '')
    .map((segment) => {
      const equals = segment.indexOf('=');
      return equals === -1
        ? [decodePart(segment), '']
        : [decodePart(segment.slice(0, equals)), decodePart(segment.slice(equals + 1))];
    });
}

function decodePart(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
}

function toPair(value: unknown): Pair {
  const [key, text] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof key !== 'string')
    throw invalidRequest('query', 'must hold pairs of a name and a value');
  return [key, toText(text, key)];
}

function toText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw invalidRequest(name, 'must be a string, a finite number or a boolean');
}

function wellFormed(text: string, name: string): string {
  if (text.isWellFormed()) return text;
  throw invalidRequest(name, 'contains a lone surrogate, which cannot be encoded as UTF-8');
}

function byKeyThenValue(a: Pair, b: Pair): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
