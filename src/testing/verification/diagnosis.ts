/**
 * Explains why a signature does not match. The service does not see the string that was signed. So
 * this makes the usual mistakes, first one, then two together. The one that produces the signature that
 * arrived is the cause. A real service does not explain; a test tool should.
 */

import { createHmac, type BinaryLike, type KeyObject } from 'node:crypto';
import { secretCandidates } from '../../webhooks/diagnosis/secret-candidates.js';
import { readDigest } from '../../webhooks/diagnosis/signature-candidates.js';
import type { Credentials, IssuedCredential } from '../credentials.js';
import type { RawRequest } from '../http/messages.js';
import { joinLines, sha256Hex, type CanonicalLines } from './canonical.js';
import { mistakesIn, type Mistake } from './known-mistakes.js';

const lineNames = {
  method: 'line 1 (METHOD)',
  path: 'line 2 (PATH)',
  query: 'line 3 (QUERY_STRING)',
  timestamp: 'line 4 (TIMESTAMP)',
  nonce: 'line 5 (NONCE)',
  bodySha256: 'line 6 (BODY_SHA256_HEX)',
} as const;

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
          `${lineNames[line]} of the canonical string differs: ${reason}. You signed ${JSON.stringify(signed)}, the service has ${JSON.stringify(lines[line])}.`,
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
  const known = uniqueMistakes(mistakesIn(mismatch.request, lines)).filter(
    ({ line, signed }) => signed !== lines[line],
  );
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

/** Keeps the first of mistakes with the same line: its reason is the likeliest. */
function uniqueMistakes(mistakes: readonly Mistake[]): Mistake[] {
  const first = new Map<string, Mistake>();
  for (const mistake of mistakes) {
    const name = `${mistake.line} ${mistake.signed}`;
    if (!first.has(name)) first.set(name, mistake);
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
    { value: keyId, explanation: 'the key id' },
    ...secretCandidates(secret),
    { value: sha256Hex(secret), explanation: 'the SHA-256 of the secret' },
  ];
  const wrong = wrongKeys.find(({ value }) => isSigned(canonical, value));
  if (wrong === undefined) return undefined;
  return `The canonical string is right, but it was signed with ${wrong.explanation}. The key is the text of the secret in UTF-8, exactly as it was issued.`;
}

function describeShape(signature: string): string {
  if (!signature.startsWith('v1=')) return 'the prefix v1= is missing';
  const form = readDigest(signature)?.form;
  if (form === undefined)
    return `this has ${signature.length - 'v1='.length} characters after the prefix`;
  return form === 'base64' ? 'this is base64' : 'the hex is not all lowercase';
}
