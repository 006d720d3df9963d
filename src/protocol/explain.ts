/** A signature, explained: for the day when the service says `invalid_signature`. */

import { InvalidRequestError, type InputIssue } from '../errors/before-sending.js';
import {
  bodyIsSigned,
  canonicalLines,
  joinLines,
  kindProblems,
  signingProblems,
  type CanonicalLines,
  type SignedParts,
} from './canonical-string.js';
import { emptySha256, sha256Hex } from './digest.js';
import { canonicalQuery } from './query.js';

/**
 * Prints the six lines that are signed, one by one, with spaces and invisible characters marked,
 * and what looks wrong about them. It takes no secret and prints none, so its text can go into a
 * support ticket. It does not throw on parts that could not be signed: it names them.
 *
 * @see specification, part 5, "Canonical string"
 *
 * @example
 * ```ts
 * import { explainSignature } from 'market-partner-sdk';
 *
 * console.log(
 *   explainSignature({
 *     method: 'post',
 *     path: '/api/partner/v1/orders',
 *     timestamp: 1_795_226_400,
 *     nonce: '7a0c2f6e-3d39-4b2b-8d0e-4b1a6b4c5d6e',
 *     body: '{"domain":"brew.example"}',
 *   }),
 * );
 * ```
 */
export function explainSignature(parts: SignedParts): string {
  const { readable, unreadable } = readParts(parts);
  const lines = canonicalLines(readable);
  const bytes = byteLength(readable.body ?? '');
  const problems = signingProblems(lines).filter(
    ({ path }) => !unreadable.some((one) => one.path === path),
  );
  const remarks = [...unreadable, ...problems].map(({ path, message }) => `${path} ${message}`);
  if (readable.method !== lines.method) {
    remarks.push(`method is signed in upper case: ${visible(lines.method)}`);
  }
  if (bytes > 0 && !bodyIsSigned(lines.method)) {
    remarks.push(`the body does not count on ${lines.method}: line 6 is the hash of no bytes`);
  }
  const asGiven = (Object(parts) as Partial<SignedParts>).query;
  if (typeof asGiven === 'string' && asGiven.replace(/^\?/, '') !== lines.query) {
    remarks.push(
      'the query given is not the canonical one: line 3 must also be what is on the wire',
    );
  }
  if (lines.path !== '' && !lines.path.includes('/api/partner/')) {
    remarks.push('path has no /api/partner/: it must be the full path, not one below the version');
  }
  if (lines.path.startsWith('/') && !isSentAsItIs(lines.path)) {
    remarks.push('path has parts that URL parsers rewrite: look at what is really on the wire');
  }
  return explainLines(lines, bodyIsSigned(lines.method) ? bytes : 0, remarks);
}

/** The same for lines that were signed already, whose body is known by its hash and length. */
export function explainLines(
  lines: CanonicalLines,
  bodyBytes: number,
  remarks: readonly string[] = [],
): string {
  const rows = [
    row(1, 'METHOD', lines.method),
    row(2, 'PATH', lines.path),
    row(3, 'QUERY_STRING', lines.query, lines.query === '' ? 'an empty line: no query' : ''),
    row(4, 'TIMESTAMP', lines.timestamp, moment(lines.timestamp)),
    row(5, 'NONCE', lines.nonce),
    row(6, 'BODY_SHA256_HEX', lines.bodySha256, bodyNote(lines, bodyBytes)),
  ];
  const text = [
    'The six lines that are signed, joined by \\n (spaces shown as \u00b7, invisible characters escaped):',
    ...rows,
    `SHA-256 of the six lines: ${sha256Hex(joinLines(lines))}`,
    'Compare each line with what the other side computed. If all six are equal, the secret differs.',
  ];
  if (remarks.length > 0) text.push('Look at:', ...remarks.map((remark) => `  - ${remark}`));
  return text.join('\n');
}

/** Leaves out the parts that no line can be made of, and says what is wrong with them. */
function readParts(parts: SignedParts): { readable: SignedParts; unreadable: InputIssue[] } {
  const given = Object(parts) as Partial<SignedParts>;
  const unreadable = kindProblems(given);
  const bad = new Set(unreadable.map(({ path }) => path));
  const usable = Object.entries(given).filter(([name]) => !bad.has(name));
  const { query, problems } = readQuery(given.query);
  const nothing = { method: '', path: '', timestamp: '', nonce: '' };
  return {
    readable: { ...nothing, ...Object.fromEntries(usable), query },
    unreadable: [...unreadable, ...problems],
  };
}

function readQuery(query: SignedParts['query']): { query: string; problems: InputIssue[] } {
  try {
    return { query: canonicalQuery(query ?? ''), problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const problems = error.issues.map(({ path, message }) => ({
      path: path === 'query' ? path : `query parameter "${visible(path)}"`,
      message,
    }));
    return { query: '', problems };
  }
}

function isSentAsItIs(path: string): boolean {
  const base = 'http://localhost';
  return URL.canParse(path, base) && new URL(path, base).pathname === path.split(/[?#]/)[0];
}

function row(number: number, label: string, value: string, note = ''): string {
  return `  ${number} ${label.padEnd(15)} "${visible(value)}"${note === '' ? '' : `  (${note})`}`;
}

/** Spaces as a middle dot; everything else that does not show, or has a look-alike, as an escape. */
function visible(value: string): string {
  const named: Record<string, string> = { ' ': '\u00b7', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return value.replace(
    /[^\x21-\x7e]/gu,
    (character) => named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function moment(timestamp: string): string {
  const date = new Date(Number(timestamp) * 1000);
  return /^\d{1,11}$/.test(timestamp) ? date.toISOString() : 'not Unix seconds';
}

function bodyNote(lines: CanonicalLines, bytes: number): string {
  if (lines.bodySha256 === emptySha256) return 'no body';
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? new TextEncoder().encode(body).length : body.byteLength;
}
