/** lineMistakes: what is often signed in place of a line of the canonical string, made of the right line. */

import { percentDecoded } from '../parse-url.js';
import { mistakes, type SignatureMistake } from './mistake.js';

/** A gateway's prefix is shorter. */
const maxSegments = 16;

export const pathPrefixMissing = 'It must be the full path on the wire, prefix included.';
export const bodyNotSigned =
  'On GET and HEAD it is the SHA-256 of the empty byte string, whatever the body.';

const otherMethod = 'Another method was signed than was sent.';
const otherTimestamp = 'It must be the one of the header.';
const nonceSpelling = 'The nonce is signed in the spelling of the header.';
const leftOut = 'It was left out.';

type LineMistakes = readonly SignatureMistake<string>[];

export function methodMistakes(method: string): LineMistakes {
  return mistakes(method, [
    ['The method must be in upper case.', method.toLowerCase()],
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((other) => [otherMethod, other] as const),
  ]);
}

/** @param host - empty if it is not known */
export function pathMistakes(path: string, rawQuery: string, host: string): LineMistakes {
  const withQuery = rawQuery === '' ? path : `${path}?${rawQuery}`;
  const urls = host === '' ? [] : ['http', 'https'].map((scheme) => `${scheme}://${host}`);
  return mistakes(path, [
    ['The query does not belong to the path.', withQuery],
    ...segmentStarts(path).map((at) => [pathPrefixMissing, path.slice(at)] as const),
    ['It must start with /.', path.slice(1)],
    ['A slash was added at the end.', `${path}/`],
    ['The slash at the end is part of the path.', path.replace(/\/$/, '')],
    ['The path is signed as sent, percent-encoding included.', percentDecoded(path)],
    ['The path was encoded once more after it was sent.', encodeURI(path)],
    ...urls
      .flatMap((url) => [url + withQuery, url + path])
      .map((url) => ['Only the path is signed, not the whole URL.', url] as const),
  ]);
}

export function queryMistakes(query: string, rawQuery: string): LineMistakes {
  const loose = query.replace(/%(21|27|28|29|2A)/g, (escape) => decodeURIComponent(escape));
  const noBlanks = query.replace(/(^|&)[^=&]*=(?=&|$)/g, '').replace(/^&/, '');
  return mistakes(query, [
    ['The query was left out.', ''],
    ['A space is %20, not +.', query.replaceAll('%20', '+')],
    ["! ' ( ) * must be percent-encoded too.", loose],
    ["A space is %20, and ! ' ( ) * are encoded.", loose.replaceAll('%20', '+')],
    [
      'Percent-encoding must use uppercase hex.',
      query.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    ],
    ['Pairs must be in ascending order.', query.split('&').reverse().join('&')],
    ['Blank values stay.', noBlanks],
    ['The question mark does not belong to the query.', `?${query}`],
    ['The query must be canonical (decoded, sorted, encoded strictly).', rawQuery],
    ['The query must be percent-encoded.', percentDecoded(rawQuery)],
    ['Pairs are sorted, but not encoded strictly.', rawQuery.split('&').sort().join('&')],
  ]);
}

export function timestampMistakes(timestamp: string): LineMistakes {
  return mistakes(timestamp, [
    ['Seconds, not milliseconds.', `${timestamp}000`],
    [otherTimestamp, String(Number(timestamp) + 1)],
    [otherTimestamp, String(Number(timestamp) - 1)],
    [leftOut, ''],
  ]);
}

export function nonceMistakes(nonce: string): LineMistakes {
  return mistakes(nonce, [
    [nonceSpelling, nonce.toLowerCase()],
    [nonceSpelling, nonce.toUpperCase()],
    [leftOut, ''],
  ]);
}

/** Of the line itself; {@link bodyMistakes} has the bodies that are hashed in place of the one that is sent. */
export function bodyHashMistakes(hash: string, body: string): LineMistakes {
  return mistakes(hash, [
    ['Without a body it is the SHA-256 of the empty byte string, not nothing.', ''],
    ['The hash must be in lowercase hex.', hash.toUpperCase()],
    ['The body itself was signed, not its SHA-256.', body],
    ['The hash must be hex, not base64.', Buffer.from(hash, 'hex').toString('base64')],
  ]);
}

/** The first segments only: a path of 15,000 slashes would take seconds. */
function segmentStarts(path: string): number[] {
  return [...path.matchAll(/\//g)].map(({ index }) => index).slice(1, maxSegments + 1);
}
