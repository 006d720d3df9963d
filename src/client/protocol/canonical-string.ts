/** The canonical string: the six lines that are signed (specification, part 5). */

import { InvalidRequestError, type InputIssue } from '../errors/invalid-request-error.js';
import { sha256Hex } from './digest.js';
import { canonicalQuery, type QueryInput } from './query.js';

/** The parts of a request that its canonical string is made of. */
export interface CanonicalStringInput {
  /** HTTP method; any case. */
  readonly method: string;
  /** The full path on the wire, from the first `/`, without the query. */
  readonly path: string;
  /** The query in any form; the canonical string holds it in canonical form. */
  readonly query?: QueryInput | undefined;
  /** Unix time in seconds, not milliseconds: the timestamp header's value. */
  readonly timestamp: number | string;
  /** The nonce header's value. */
  readonly nonce: string;
  /** The body exactly as sent. On GET and HEAD it is ignored. */
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
 * @throws {@link InvalidRequestError} when a part cannot be signed: a path that contains a query, a
 * timestamp that is not a whole number of seconds, a line break anywhere.
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
export function canonicalString(input: CanonicalStringInput): string {
  return joinLines(checkedCanonicalLines(input));
}

/**
 * The six lines of a request.
 *
 * @throws {@link InvalidRequestError} as {@link canonicalString} does.
 */
export function checkedCanonicalLines(input: CanonicalStringInput): CanonicalLines {
  const wrongTypes = typeIssues(Object(input) as Partial<CanonicalStringInput>);
  if (wrongTypes.length > 0) throw new InvalidRequestError(wrongTypes);
  const lines = canonicalLines(input);
  const issues = signingIssues(lines);
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return lines;
}

/** Names the parts whose type is wrong: JavaScript callers can pass anything. */
export function typeIssues(input: {
  readonly [Name in keyof CanonicalStringInput]?: unknown;
}): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const path of ['method', 'path', 'nonce'] as const) {
    if (typeof input[path] !== 'string') issues.push({ path, message: 'must be a string' });
  }
  if (typeof input.timestamp !== 'string' && typeof input.timestamp !== 'number') {
    issues.push({ path: 'timestamp', message: 'must be a whole number of Unix seconds' });
  }
  const body = input.body ?? '';
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    issues.push({ path: 'body', message: 'must be the very string or bytes that are sent' });
  }
  return issues;
}

/** The six lines, unchecked: `explainSignature` also prints those of invalid input. */
export function canonicalLines(input: CanonicalStringInput): CanonicalLines {
  const method = input.method.toUpperCase();
  return {
    method,
    path: input.path,
    query: canonicalQuery(input.query ?? ''),
    timestamp: String(input.timestamp),
    nonce: input.nonce,
    bodySha256: sha256Hex(hasSignedBody(method) ? (input.body ?? '') : ''),
  };
}

/** False for GET and HEAD, whose line 6 is the hash of no bytes, whatever is sent. */
export function hasSignedBody(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

export function joinLines(lines: CanonicalLines): string {
  return `${lines.method}\n${lines.path}\n${lines.query}\n${lines.timestamp}\n${lines.nonce}\n${lines.bodySha256}`;
}

/** Names the lines that the service would read differently or refuse. */
export function signingIssues({ method, path, timestamp, nonce }: CanonicalLines): InputIssue[] {
  const issues: InputIssue[] = [];
  const check = (isValid: boolean, name: string, message: string) => {
    if (!isValid) issues.push({ path: name, message });
  };
  const isInMs = /^\d{12,}$/.test(timestamp);
  check(/^[A-Z]+$/.test(method), 'method', 'must be an HTTP method such as GET or POST');
  check(path.startsWith('/'), 'path', 'must be the full path on the wire, starting with "/"');
  check(!/[?#]/.test(path), 'path', 'must not hold "?" or "#"; pass the query separately');
  check(
    !/[^\x21-\x7e]/.test(path),
    'path',
    'must be percent-encoded as it is on the wire: visible ASCII characters only',
  );
  check(!isInMs, 'timestamp', 'is in milliseconds; it must be Unix seconds');
  check(/^\d+$/.test(timestamp), 'timestamp', 'must be a whole number of Unix seconds');
  check(
    /^[\x21-\x7e]+$/.test(nonce),
    'nonce',
    'must be visible ASCII characters, such as a UUID v4',
  );
  return issues;
}
