/** The mistakes that people make in one line of the canonical string, each with its reason. */

import type { ArrivedRequest } from '../http/exchange.js';
import { sha256Hex, type CanonicalLines } from './canonical.js';

type Line = keyof CanonicalLines;

/** A line that was signed otherwise. */
export interface Mistake {
  readonly line: Line;
  readonly signed: string;
  readonly why: string;
}

/** Every known mistake, made with this request: the line, and what was signed in its place. */
export function mistakesIn(request: ArrivedRequest, lines: CanonicalLines): Mistake[] {
  const { rawPath, rawQuery, method } = request;
  const found: Mistake[] = [];
  const add = (line: Line, signed: string, why: string) => found.push({ line, signed, why });

  add('method', method.toLowerCase(), 'the method must be in upper case');
  for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    add('method', other, 'another method was signed than was sent');
  }

  const withQuery = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  add('path', withQuery, 'the query does not belong to the path');
  for (const at of segmentStarts(rawPath)) {
    add('path', rawPath.slice(at), 'it must be the full path on the wire, prefix included');
  }
  add('path', rawPath.slice(1), 'it must start with /');
  add('path', `${rawPath}/`, 'a slash was added at the end');
  add('path', rawPath.replace(/\/$/, ''), 'the slash at the end is part of the path');
  add('path', decodedOr(rawPath), 'the path is signed as sent, percent-encoding included');
  add('path', encodeURI(rawPath), 'the path was encoded once more after it was sent');
  const { host } = request.headers;
  if (host !== undefined) {
    for (const scheme of ['http', 'https']) {
      add('path', `${scheme}://${host}${withQuery}`, 'only the path is signed, not the whole URL');
      add('path', `${scheme}://${host}${rawPath}`, 'only the path is signed, not the whole URL');
    }
  }

  add('query', rawQuery, 'the query must be canonical (decoded, sorted, encoded strictly)');
  add('query', `?${lines.query}`, 'the question mark does not belong to the query');
  add('query', '', 'the query was left out');
  add('query', decodedOr(rawQuery), 'the query must be percent-encoded');
  add('query', rawQuery.split('&').sort().join('&'), 'pairs are sorted, but not encoded strictly');
  add('query', lines.query.replaceAll('%20', '+'), 'a space is %20, not +');
  add('query', lenient(lines.query), "! ' ( ) * must be percent-encoded too");
  add(
    'query',
    lenient(lines.query).replaceAll('%20', '+'),
    "a space is %20, and ! ' ( ) * are encoded",
  );
  add('query', lowerCaseHex(lines.query), 'percent-encoding must use uppercase hex');
  add('query', lines.query.split('&').reverse().join('&'), 'pairs must be in ascending order');
  add(
    'query',
    lines.query.replace(/(^|&)[^=&]*=(?=&|$)/g, '').replace(/^&/, ''),
    'blank values stay',
  );

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

function addBodyMistakes(
  request: ArrivedRequest,
  lines: CanonicalLines,
  add: (line: Line, signed: string, why: string) => void,
): void {
  const { body } = request;
  const own = (signed: string, why: string) => add('bodySha256', signed, why);
  own('', 'without a body it is the SHA-256 of the empty byte string, not nothing');
  own(lines.bodySha256.toUpperCase(), 'the hash must be in lowercase hex');
  own(sha256Hex(''), 'the body was left out');
  if (body.length > 0) addBodiesLike(request, lines, own);
  own(sha256Hex('{}'), 'the body that was signed, {}, is not the one that was sent');
  own(sha256Hex('null'), 'the body that was signed, null, is not the one that was sent');
}

/** Bodies that one easily signs instead of the one that is sent. */
function addBodiesLike(
  { method, body }: ArrivedRequest,
  lines: CanonicalLines,
  own: (signed: string, why: string) => void,
): void {
  const text = body.toString('utf8');
  const isRead = method === 'GET' || method === 'HEAD';
  own(
    sha256Hex(body),
    isRead
      ? 'on GET and HEAD it is the SHA-256 of the empty byte string, whatever the body'
      : 'the body is signed',
  );
  own(text, 'the body itself was signed, not its SHA-256');
  own(Buffer.from(lines.bodySha256, 'hex').toString('base64'), 'the hash must be hex, not base64');
  own(
    sha256Hex(text.trimEnd()),
    'the body was sent with white space at its end that was not signed',
  );
  own(sha256Hex(`${text}\n`), 'the body was signed with a newline that was not sent');
  const parsed = parsedOr(text);
  if (parsed === undefined) return;
  const reason = 'the body was serialised again after signing; sign the very bytes that are sent';
  const spaced = JSON.stringify(parsed, null, 1).replace(/\n\s*/g, ' ');
  own(sha256Hex(JSON.stringify(parsed)), reason);
  own(sha256Hex(JSON.stringify(parsed, null, 2)), reason);
  own(sha256Hex(JSON.stringify(parsed, null, 4)), reason);
  own(sha256Hex(spaced.replace(/([[{]) /g, '$1').replace(/ ([\]}])/g, '$1')), reason);
  own(sha256Hex(JSON.stringify(withSortedKeys(parsed))), reason);
  own(sha256Hex(JSON.stringify(JSON.stringify(parsed))), 'the body was serialised twice');
}

function* segmentStarts(path: string): Generator<number> {
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) yield at;
}

function lenient(query: string): string {
  return query.replace(/%(21|27|28|29|2A)/g, (escape) => decodeURIComponent(escape));
}

function lowerCaseHex(query: string): string {
  return query.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, withSortedKeys(inner)]),
  );
}
