/** The six lines that are signed (specification, part 5, "Canonical string"). */

import { InvalidRequestError, type InputIssue } from '../errors/before-sending.js';
import { sha256Hex } from './digest.js';
import { canonicalQuery, type QueryInput } from './query.js';

/** What the six lines are made of. */
export interface SignedParts {
  /** HTTP method; any case. */
  readonly method: string;
  /** The full path on the wire, from the first `/`, without the query. */
  readonly path: string;
  /** The query in any form; it is made canonical. */
  readonly query?: QueryInput | undefined;
  /** Unix time in seconds, not milliseconds: the timestamp header's value. */
  readonly timestamp: number | string;
  /** The nonce header's value. */
  readonly nonce: string;
  /** The body exactly as sent. It does not count on GET and HEAD. */
  readonly body?: string | Uint8Array | undefined;
}

/** The six lines, in their order. */
export interface CanonicalLines {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly bodySha256: string;
}

/**
 * The string that is signed: six lines joined by a newline.
 *
 * @throws {@link InvalidRequestError} when a part cannot be signed as it is: a path with a query
 * in it, a timestamp that is not a whole number of seconds, a line break anywhere.
 * @see specification, part 5, "Canonical string"
 *
 * @example
 * ```ts
 * import { canonicalString } from 'market-partner-sdk';
 *
 * const text = canonicalString({
 *   method: 'GET',
 *   path: '/api/partner/v1/domains/search',
 *   query: { q: 'coffee shop' },
 *   timestamp: 1_795_226_400,
 *   nonce: '7a0c2f6e-3d39-4b2b-8d0e-4b1a6b4c5d6e',
 * });
 * console.log(text.split('\n').length); // 6
 * ```
 */
export function canonicalString(parts: SignedParts): string {
  return joinLines(checkedLines(parts));
}

/** The six lines of a request that can be signed. */
export function checkedLines(parts: SignedParts): CanonicalLines {
  const unreadable = kindProblems(parts);
  if (unreadable.length > 0) throw new InvalidRequestError(unreadable);
  const lines = canonicalLines(parts);
  const problems = signingProblems(lines);
  if (problems.length > 0) throw new InvalidRequestError(problems);
  return lines;
}

/** Parts of a kind that no line can be made of, as plain JavaScript lets them through. */
export function kindProblems(parts: {
  readonly [Name in keyof SignedParts]?: unknown;
}): InputIssue[] {
  const problems: InputIssue[] = [];
  for (const path of ['method', 'path', 'nonce'] as const) {
    if (typeof parts[path] !== 'string') problems.push({ path, message: 'must be a string' });
  }
  if (typeof parts.timestamp !== 'string' && typeof parts.timestamp !== 'number') {
    problems.push({ path: 'timestamp', message: 'must be a whole number of Unix seconds' });
  }
  const body = parts.body ?? '';
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    problems.push({ path: 'body', message: 'must be the very string or bytes that are sent' });
  }
  return problems;
}

/** The six lines, unchecked: the diagnosis needs those of a bad input too. */
export function canonicalLines(parts: SignedParts): CanonicalLines {
  const method = parts.method.toUpperCase();
  return {
    method,
    path: parts.path,
    query: canonicalQuery(parts.query ?? ''),
    timestamp: String(parts.timestamp),
    nonce: parts.nonce,
    bodySha256: sha256Hex(bodyIsSigned(method) ? (parts.body ?? '') : ''),
  };
}

/** On GET and HEAD the hash is that of the empty string, whatever is sent. */
export function bodyIsSigned(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

export function joinLines(lines: CanonicalLines): string {
  return `${lines.method}\n${lines.path}\n${lines.query}\n${lines.timestamp}\n${lines.nonce}\n${lines.bodySha256}`;
}

/** What would make the service read other lines than these, or refuse them. */
export function signingProblems(lines: CanonicalLines): InputIssue[] {
  const problems: InputIssue[] = [];
  if (!/^[A-Z]+$/.test(lines.method)) {
    problems.push({ path: 'method', message: 'must be an HTTP method such as GET or POST' });
  }
  if (!lines.path.startsWith('/')) {
    problems.push({
      path: 'path',
      message: 'must be the full path on the wire, starting with "/"',
    });
  }
  if (/[?#]/.test(lines.path)) {
    problems.push({ path: 'path', message: 'must not hold "?" or "#"; give the query apart' });
  }
  if (/[^\x21-\x7e]/.test(lines.path)) {
    problems.push({
      path: 'path',
      message: 'must be percent-encoded as it is on the wire: visible ASCII characters only',
    });
  }
  if (/^\d{12,}$/.test(lines.timestamp)) {
    problems.push({ path: 'timestamp', message: 'is in milliseconds; it must be Unix seconds' });
  } else if (!/^\d+$/.test(lines.timestamp)) {
    problems.push({ path: 'timestamp', message: 'must be a whole number of Unix seconds' });
  }
  if (!/^[\x21-\x7e]+$/.test(lines.nonce)) {
    problems.push({
      path: 'nonce',
      message: 'must be visible ASCII characters, such as a UUID v4',
    });
  }
  return problems;
}
