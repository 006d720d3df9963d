/**
 * The canonical query (specification, part 5): what is signed as line 3, and the very string that
 * goes on the wire. It is built once and never re-encoded: URL parsers, form encoders and HTTP
 * clients each escape a different set of characters.
 */

import { InvalidRequestError } from '../errors/before-sending.js';

/** A value of a query parameter; `undefined` and `null` leave the parameter out. */
export type QueryValue = string | number | boolean | null | undefined;

/**
 * A query in any of the usual forms: a raw string (with or without the leading `?`), pairs,
 * `URLSearchParams`, or an object whose arrays stand for repeated parameters.
 */
export type QueryInput =
  | string
  | URLSearchParams
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/**
 * Writes a query in the canonical form that the service signs: decoded, sorted by key and then by
 * value, each part percent-encoded with upper-case hex, blanks kept.
 *
 * Keys and values are compared by UTF-16 code unit. A raw string is read as forms are: `+` is a
 * space, `b` is `b=`, empty segments are dropped, and a `%` that starts no escape is itself.
 *
 * @throws {@link InvalidRequestError} when a key or value holds half of a surrogate pair, which
 * has no UTF-8 form.
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
  const pairs = toPairs(query);
  if (pairs.length > 1) pairs.sort(byKeyThenValue);
  return pairs.map(([key, value]) => `${encodePart(key, key)}=${encodePart(value, key)}`).join('&');
}

/** Percent-encodes as `encodeURIComponent` does, and the five characters that it leaves. */
export function encodePart(text: string, name: string): string {
  if (unreserved.test(text)) return text;
  if (!text.isWellFormed()) {
    throw new InvalidRequestError([
      { path: name, message: 'holds half of a surrogate pair, which cannot be encoded as UTF-8' },
    ]);
  }
  return encodeURIComponent(text).replace(/[!'()*]/g, percentEncode);
}

const unreserved = /^[A-Za-z0-9\-_.~]*$/;

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function toPairs(query: QueryInput): (readonly [string, string])[] {
  if (typeof query === 'string') return [...new URLSearchParams(query)];
  if (Symbol.iterator in query) return [...query];
  return Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue])
      .filter((one) => one !== undefined && one !== null)
      .map((one) => [key, String(one)] as const),
  );
}

function byKeyThenValue(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
