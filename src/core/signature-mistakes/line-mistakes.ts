/** The mistakes that people make in one line of the canonical string, each with its reason. */

import { percentDecoded } from '../../core/parse-url.js';
import { rewrittenJson } from '../../webhooks/diagnosis/rewritten-json.js';
import type { RawRequest } from '../http/messages.js';
import { sha256Hex, type CanonicalLines } from './canonical.js';

/** A gateway's prefix is shorter. */
const maxSegments = 16;

/** A longer body is not serialized again: that could take seconds. */
const maxRewrittenBytes = 65_536;

type Line = keyof CanonicalLines;

/** A line that was signed with another content. */
export interface Mistake {
  readonly line: Line;
  readonly signed: string;
  readonly why: string;
}

type Add = (line: Line, signed: string, why: string) => void;

/** Every known mistake, applied to this request. */
export function mistakesIn(request: RawRequest, lines: CanonicalLines): Mistake[] {
  const found: Mistake[] = [];
  const add: Add = (line, signed, why) => found.push({ line, signed, why });
  add('method', request.method.toLowerCase(), 'the method must be in upper case');
  for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    add('method', other, 'another method was signed than was sent');
  }
  addPathMistakes(request, add);
  addQueryMistakes(request.rawQuery, lines.query, add);
  add('timestamp', `${lines.timestamp}000`, 'seconds, not milliseconds');
  add('timestamp', String(Number(lines.timestamp) + 1), 'it must be the one of the header');
  add('timestamp', String(Number(lines.timestamp) - 1), 'it must be the one of the header');
  add('timestamp', '', 'it was left out');
  add('nonce', lines.nonce.toLowerCase(), 'the nonce is signed in the spelling of the header');
  add('nonce', lines.nonce.toUpperCase(), 'the nonce is signed in the spelling of the header');
  add('nonce', '', 'it was left out');
  addBodyMistakes(request, lines, add);
  return found;
}

function addPathMistakes({ rawPath, rawQuery, headers: { host } }: RawRequest, add: Add): void {
  const withQuery = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  add('path', withQuery, 'the query does not belong to the path');
  for (const at of segmentStarts(rawPath)) {
    add('path', rawPath.slice(at), 'it must be the full path on the wire, prefix included');
  }
  add('path', rawPath.slice(1), 'it must start with /');
  add('path', `${rawPath}/`, 'a slash was added at the end');
  add('path', rawPath.replace(/\/$/, ''), 'the slash at the end is part of the path');
  add(
    'path',
    percentDecoded(rawPath) ?? rawPath,
    'the path is signed as sent, percent-encoding included',
  );
  add('path', encodeURI(rawPath), 'the path was encoded once more after it was sent');
  if (host !== undefined) {
    for (const scheme of ['http', 'https']) {
      add('path', `${scheme}://${host}${withQuery}`, 'only the path is signed, not the whole URL');
      add('path', `${scheme}://${host}${rawPath}`, 'only the path is signed, not the whole URL');
    }
  }
}

function addQueryMistakes(rawQuery: string, query: string, add: Add): void {
  add('query', rawQuery, 'the query must be canonical (decoded, sorted, encoded strictly)');
  add('query', `?${query}`, 'the question mark does not belong to the query');
  add('query', '', 'the query was left out');
  add('query', percentDecoded(rawQuery) ?? rawQuery, 'the query must be percent-encoded');
  add('query', rawQuery.split('&').sort().join('&'), 'pairs are sorted, but not encoded strictly');
  add('query', query.replaceAll('%20', '+'), 'a space is %20, not +');
  add('query', looselyEncoded(query), "! ' ( ) * must be percent-encoded too");
  add(
    'query',
    looselyEncoded(query).replaceAll('%20', '+'),
    "a space is %20, and ! ' ( ) * are encoded",
  );
  add('query', lowerCaseHex(query), 'percent-encoding must use uppercase hex');
  add('query', query.split('&').reverse().join('&'), 'pairs must be in ascending order');
  add('query', query.replace(/(^|&)[^=&]*=(?=&|$)/g, '').replace(/^&/, ''), 'blank values stay');
}

function addBodyMistakes(request: RawRequest, lines: CanonicalLines, add: Add): void {
  const { body } = request;
  const addBody = (signed: string, why: string) => add('bodySha256', signed, why);
  addBody('', 'without a body it is the SHA-256 of the empty byte string, not nothing');
  addBody(lines.bodySha256.toUpperCase(), 'the hash must be in lowercase hex');
  addBody(sha256Hex(''), 'the body was left out');
  if (body.length > 0) addBodyVariants(request, lines, addBody);
  addBody(sha256Hex('{}'), 'the body that was signed, {}, is not the one that was sent');
  addBody(sha256Hex('null'), 'the body that was signed, null, is not the one that was sent');
}

/** Adds the bodies that are often signed in place of the one that is sent. */
function addBodyVariants(
  { method, body }: RawRequest,
  lines: CanonicalLines,
  addBody: (signed: string, why: string) => void,
): void {
  const text = body.toString('utf8');
  const isRead = method === 'GET' || method === 'HEAD';
  addBody(
    sha256Hex(body),
    isRead
      ? 'on GET and HEAD it is the SHA-256 of the empty byte string, whatever the body'
      : 'the body is signed',
  );
  addBody(text, 'the body itself was signed, not its SHA-256');
  addBody(
    Buffer.from(lines.bodySha256, 'hex').toString('base64'),
    'the hash must be hex, not base64',
  );
  addBody(
    sha256Hex(text.trimEnd()),
    'the body was sent with white space at its end that was not signed',
  );
  addBody(sha256Hex(`${text}\n`), 'the body was signed with a newline that was not sent');
  if (text.length > maxRewrittenBytes) return;
  const reason = 'the body was serialized again after signing; sign the very bytes that are sent';
  const layouts = [...rewrittenJson(text)];
  for (const layout of layouts) addBody(sha256Hex(layout), reason);
  // Nothing is laid out of what is no JSON, or is deeper than a request ever is.
  if (layouts.length === 0) return;
  const parsed: unknown = JSON.parse(text);
  addBody(sha256Hex(JSON.stringify(sortKeys(parsed))), reason);
  addBody(sha256Hex(JSON.stringify(JSON.stringify(parsed))), 'the body was serialized twice');
}

/** The first segments only: a path of 15,000 slashes would take seconds. */
function* segmentStarts(path: string): Generator<number> {
  let count = 0;
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    if ((count += 1) > maxSegments) return;
    yield at;
  }
}

function looselyEncoded(query: string): string {
  return query.replace(/%(21|27|28|29|2A)/g, (escape) => decodeURIComponent(escape));
}

function lowerCaseHex(query: string): string {
  return query.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
