/**
 * Explains why a signature does not match. The service does not see the string that was signed. So
 * this makes the usual mistakes, first one, then two together. The one that produces the signature that
 * arrived is the cause. A real service does not explain; a test tool should.
 */

import { createHmac, type BinaryLike, type KeyObject } from 'node:crypto';
import { bodyMistakes } from '../../core/signature-mistakes/body-mistakes.js';
import { readDigest } from '../../core/signature-mistakes/digest.js';
import * as lineMistakes from '../../core/signature-mistakes/line-mistakes.js';
import type { SignatureMistake } from '../../core/signature-mistakes/mistake.js';
import { keyRule, secretMistakes } from '../../core/signature-mistakes/secret-mistakes.js';
import type { Credentials, IssuedCredential } from '../credentials.js';
import type { RawRequest } from '../http/messages.js';
import { joinLines, sha256Hex, type CanonicalLines } from './canonical.js';

const lineNames = {
  method: 'line 1 (METHOD)',
  path: 'line 2 (PATH)',
  query: 'line 3 (QUERY_STRING)',
  timestamp: 'line 4 (TIMESTAMP)',
  nonce: 'line 5 (NONCE)',
  bodySha256: 'line 6 (BODY_SHA256_HEX)',
} as const;

/** A line that was signed with another content. */
interface Mistake {
  readonly line: keyof CanonicalLines;
  readonly signed: string;
  readonly why: string;
}

interface SignatureMismatch {
  readonly request: RawRequest;
  readonly lines: CanonicalLines;
  readonly signature: string;
  readonly credential: IssuedCredential;
  readonly credentials: Credentials;
}

/** What is wrong, in a sentence, and the canonical string that the service computed. */
export interface Diagnosis {
  /** For a client, which sees nothing but the error response: with the canonical string if that helps. */
  readonly message: string;
  /** The message without the canonical string. */
  readonly why: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** The lines that were signed, if one of the known mistakes explains the signature. */
  readonly signed: CanonicalLines | undefined;
}

export function diagnose(mismatch: SignatureMismatch): Diagnosis {
  const { lines, signature, credential } = mismatch;
  const canonical_string = joinLines(lines);
  const because = (why: string, signed?: CanonicalLines, details = {}): Diagnosis => ({
    message: why,
    why,
    details: { canonical_string, ...details },
    signed,
  });
  const digest = readDigest(signature.trim());
  if (digest === undefined) {
    return because(
      `X-Market-Signature must be v1= and 64 lowercase hex digits; ${describeShape(signature)}.`,
    );
  }

  const isSigned = (text: string, key: KeyObject | BinaryLike = credential.key) =>
    createHmac('sha256', key).update(text, 'utf8').digest('hex') === digest.hex;

  if (isSigned(canonical_string)) {
    return because(
      `The digest is right, but X-Market-Signature must be v1= and lowercase hex; ${describeShape(signature)}.`,
      lines,
    );
  }
  const mistakes = findMistakes(mismatch, isSigned);
  if (mistakes !== undefined) {
    const differs = mistakes.map(({ line, signed }) => ({
      line: lineNames[line],
      signed,
      expected: lines[line],
    }));
    const why = mistakes
      .map(
        ({ line, signed, why: reason }) =>
          `${lineNames[line]} of the canonical string differs. ${reason} You signed ${JSON.stringify(signed)}, the service has ${JSON.stringify(lines[line])}.`,
      )
      .join(' ');
    const signed = mistakes.reduce<CanonicalLines>(
      (known, mistake) => ({ ...known, [mistake.line]: mistake.signed }),
      lines,
    );
    return because(why, signed, { differs });
  }
  const whole = structuralMistake(mismatch, canonical_string, isSigned);
  if (whole !== undefined) return because(whole);
  const why = `The secret is not that of ${credential.keyId}, or another string was signed. If you signed the same six lines, the secret is wrong.`;
  // The lines last: a client may cut a long message.
  const message = `${why} To compare line by line, the service has: ${JSON.stringify(canonical_string)}`;
  return { ...because(why), message };
}

function findMistakes(
  mismatch: SignatureMismatch,
  isSigned: (text: string) => boolean,
): readonly Mistake[] | undefined {
  const { lines } = mismatch;
  const known = mistakesIn(mismatch.request, lines);
  for (const mistake of known) {
    if (isSigned(joinLines({ ...lines, [mistake.line]: mistake.signed }))) return [mistake];
  }
  // Trying pairs is quadratic, so only lines people build by hand are paired.
  const usual = known.filter(
    ({ line, signed }) =>
      ['path', 'query', 'bodySha256'].includes(line) || signed === lines.method.toLowerCase(),
  );
  for (const [at, first] of usual.entries()) {
    for (const second of usual.slice(at + 1)) {
      if (first.line === second.line) continue;
      const both = { ...lines, [first.line]: first.signed, [second.line]: second.signed };
      if (isSigned(joinLines(both))) return [first, second];
    }
  }
  return undefined;
}

/** Every known mistake, made in this request; of those that make the same line the first, which is the likeliest. */
function mistakesIn(
  { method, rawPath, rawQuery, headers, body }: RawRequest,
  lines: CanonicalLines,
) {
  const isRead = method === 'GET' || method === 'HEAD';
  const hashed = [{ wrong: body, sentence: lineMistakes.bodyNotSigned }].slice(isRead ? 0 : 1);
  const inLines: Record<keyof CanonicalLines, readonly SignatureMistake<string>[]> = {
    method: lineMistakes.methodMistakes(lines.method),
    path: lineMistakes.pathMistakes(rawPath, rawQuery, headers.host ?? ''),
    query: lineMistakes.queryMistakes(lines.query, rawQuery),
    timestamp: lineMistakes.timestampMistakes(lines.timestamp),
    nonce: lineMistakes.nonceMistakes(lines.nonce),
    bodySha256: [
      ...lineMistakes.bodyHashMistakes(lines.bodySha256, body.toString('utf8')),
      ...[...hashed, ...bodyMistakes(Uint8Array.from(body))].map(({ wrong, sentence }) => ({
        wrong: sha256Hex(wrong),
        sentence,
      })),
    ],
  };
  const first = new Map<string, Mistake>();
  for (const line of Object.keys(inLines) as (keyof CanonicalLines)[]) {
    for (const { wrong, sentence } of inLines[line]) {
      const name = `${line} ${wrong}`;
      if (wrong !== lines[line] && !first.has(name)) {
        first.set(name, { line, signed: wrong, why: sentence });
      }
    }
  }
  return [...first.values()];
}

/** Mistakes outside of the lines: how they are joined, or the secret. */
function structuralMistake(
  { lines, credential, credentials }: SignatureMismatch,
  canonical: string,
  isSigned: (text: string, key?: KeyObject | BinaryLike) => boolean,
): string | undefined {
  if (isSigned(joinLines(lines, '\r\n'))) return 'The six lines are joined by \\n, not by \\r\\n.';
  if (isSigned(`${canonical}\n`)) return 'The canonical string has no newline at its end.';
  if (isSigned(joinLines(lines, ''))) return 'The six lines are joined by a newline.';
  if (lines.query === '' && isSigned(canonical.replace('\n\n', '\n'))) {
    return 'Without a query, line 3 of the canonical string is an empty line; it was left out.';
  }
  for (const other of credentials.all()) {
    if (other !== credential && isSigned(canonical, other.key)) {
      return `The canonical string is right, but it was signed with the secret of ${other.keyId}, not of ${credential.keyId}.`;
    }
  }
  const { secret, keyId } = credential;
  const wrongKeys = [
    { wrong: keyId, sentence: `It was signed with the key id. ${keyRule}` },
    ...secretMistakes(secret),
    {
      wrong: sha256Hex(secret),
      sentence: `It was signed with the SHA-256 of the secret. ${keyRule}`,
    },
  ];
  const key = wrongKeys.find(({ wrong }) => isSigned(canonical, wrong));
  return key === undefined ? undefined : `The canonical string is right. ${key.sentence}`;
}

function describeShape(signature: string): string {
  if (!signature.startsWith('v1=')) return 'the prefix v1= is missing';
  const form = readDigest(signature)?.form;
  if (form === undefined)
    return `this has ${signature.length - 'v1='.length} characters after the prefix`;
  return form === 'base64' ? 'this is base64' : 'the hex is not all lowercase';
}
