/** `explainSignature`: shows what is signed, to find the cause of `invalid_signature`. */

import { escapeCharacter } from '../../core/errors/escape-invisible.js';
import { InvalidRequestError, type InputIssue } from '../errors/invalid-request-error.js';
import {
  hasSignedBody,
  canonicalLines,
  joinLines,
  typeIssues,
  signingIssues,
  type CanonicalLines,
  type CanonicalStringInput,
} from './canonical-string.js';
import { emptySha256, sha256Hex } from './digest.js';
import { canonicalQuery } from './query.js';
import { parseUrl } from '../../core/parse-url.js';
import {
  bodyNotSigned,
  methodMistakes,
  pathPrefixMissing,
  queryMistakes,
} from '../../core/signature-mistakes/line-mistakes.js';

/**
 * Prints the six lines that are signed, with spaces and invisible characters marked, and warns of
 * what looks wrong. It takes no secret and prints none, so its text can go into a support ticket. It
 * does not throw on parts that cannot be signed: it names them.
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
export function explainSignature(input: CanonicalStringInput): string {
  const { readable, invalid } = splitReadable(input);
  const lines = canonicalLines(readable);
  const bytes = byteLength(readable.body ?? '');
  const issues = signingIssues(lines).filter(
    ({ path }) => !invalid.some((issue) => issue.path === path),
  );
  const warnings = [...invalid, ...issues].map(({ path, message }) => `${path} ${message}`);
  if (readable.method !== lines.method) {
    warnings.push(`line 1: ${methodMistakes(lines.method)[0]?.sentence}`);
  }
  if (bytes > 0 && !hasSignedBody(lines.method)) {
    warnings.push(`line 6: ${bodyNotSigned}`);
  }
  const rawQuery = (Object(input) as Partial<CanonicalStringInput>).query;
  const given = typeof rawQuery === 'string' ? rawQuery.replace(/^\?/, '') : lines.query;
  if (given !== lines.query) {
    const mistake = queryMistakes(lines.query, given).find(({ wrong }) => wrong === given);
    warnings.push(`line 3: ${mistake?.sentence} Send this line in place of the query.`);
  }
  if (lines.path !== '' && !lines.path.includes('/api/partner/')) {
    warnings.push(`line 2 has no /api/partner/. ${pathPrefixMissing}`);
  }
  if (lines.path.startsWith('/') && !isSentUnchanged(lines.path)) {
    warnings.push('path has parts that URL parsers rewrite. Look at what is really on the wire');
  }
  return explainLines(lines, hasSignedBody(lines.method) ? bytes : 0, warnings);
}

/** Explains lines that were signed before; of their body only hash and length are known. */
export function explainLines(
  lines: CanonicalLines,
  bodyBytes: number,
  warnings: readonly string[] = [],
): string {
  const rows = [
    row(1, 'METHOD', lines.method),
    row(2, 'PATH', lines.path),
    row(3, 'QUERY_STRING', lines.query, lines.query === '' ? 'an empty line: no query' : ''),
    row(4, 'TIMESTAMP', lines.timestamp, describeTimestamp(lines.timestamp)),
    row(5, 'NONCE', lines.nonce),
    row(6, 'BODY_SHA256_HEX', lines.bodySha256, bodyNote(lines, bodyBytes)),
  ];
  const text = [
    'The six lines that are signed, joined by \\n (spaces shown as \u00b7, invisible characters escaped):',
    ...rows,
    `SHA-256 of the six lines: ${sha256Hex(joinLines(lines))}`,
    'Compare each line with what the other side computed. If all six are equal, the secret differs.',
  ];
  if (warnings.length > 0) text.push('Look at:', ...warnings.map((warning) => `  - ${warning}`));
  return text.join('\n');
}

/** Replaces the parts of a wrong type by empty ones, and names them. */
function splitReadable(input: CanonicalStringInput): {
  readable: CanonicalStringInput;
  invalid: InputIssue[];
} {
  const parts = Object(input) as Partial<CanonicalStringInput>;
  const wrongTypes = typeIssues(parts);
  const wrongNames = new Set(wrongTypes.map(({ path }) => path));
  const usable = Object.entries(parts).filter(([name]) => !wrongNames.has(name));
  const { query, issues } = readQuery(parts.query);
  const empty = { method: '', path: '', timestamp: '', nonce: '' };
  return {
    readable: { ...empty, ...Object.fromEntries(usable), query },
    invalid: [...wrongTypes, ...issues],
  };
}

function readQuery(query: CanonicalStringInput['query']): { query: string; issues: InputIssue[] } {
  try {
    return { query: canonicalQuery(query ?? ''), issues: [] };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const issues = error.issues.map(({ path, message }) => ({
      path: path === 'query' ? path : `query parameter "${showInvisible(path)}"`,
      message,
    }));
    return { query: '', issues };
  }
}

function isSentUnchanged(path: string): boolean {
  const base = 'http://localhost';
  return parseUrl(path, base)?.pathname === path.split(/[?#]/)[0];
}

function row(number: number, label: string, value: string, note = ''): string {
  return `  ${number} ${label.padEnd(15)} "${showInvisible(value)}"${note === '' ? '' : `  (${note})`}`;
}

/** Prints a space as a middle dot, and every other invisible or non-ASCII character as an escape. */
function showInvisible(value: string): string {
  const named: Record<string, string> = { ' ': '\u00b7', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return value.replace(
    /[^\x21-\x7e]/gu,
    (character) => named[character] ?? escapeCharacter(character),
  );
}

function describeTimestamp(timestamp: string): string {
  const date = new Date(Number(timestamp) * 1000);
  return /^\d{1,11}$/.test(timestamp) ? date.toISOString() : 'not Unix seconds';
}

function bodyNote(lines: CanonicalLines, bytes: number): string {
  if (lines.bodySha256 === emptySha256) return 'no body';
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
