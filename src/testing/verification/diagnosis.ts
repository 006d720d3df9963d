/**
 * Why a signature does not match. The service sees only the signature, not the string that was
 * signed; so the usual mistakes are made on purpose, one at a time and then two at a time, until
 * one of them gives the signature that arrived. A real service would not tell. A test tool should.
 */

import { createHmac, type BinaryLike, type KeyObject } from 'node:crypto';
import type { Credentials, IssuedCredential } from '../credentials.js';
import type { ArrivedRequest } from '../http/exchange.js';
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

interface Case {
  readonly request: ArrivedRequest;
  readonly lines: CanonicalLines;
  readonly signature: string;
  readonly credential: IssuedCredential;
  readonly credentials: Credentials;
}

/** What is wrong, in a sentence, and the canonical string that the service computed. */
export function diagnose(facts: Case): { message: string; details: Record<string, unknown> } {
  const { lines, signature, credential } = facts;
  const canonical_string = joinLines(lines);
  const hex = hexIn(signature);
  if (hex === undefined) {
    return {
      message: `X-Market-Signature must be v1= and 64 lowercase hex digits; ${shapeOf(signature)}.`,
      details: { canonical_string },
    };
  }

  const isSigned = (text: string, key: KeyObject | BinaryLike = credential.key) =>
    createHmac('sha256', key).update(text, 'utf8').digest('hex') === hex;

  if (isSigned(canonical_string)) {
    return {
      message: `The digest is right, but X-Market-Signature must be v1= and lowercase hex; ${shapeOf(signature)}.`,
      details: { canonical_string },
    };
  }
  const mistakes = findMistakes(facts, isSigned);
  if (mistakes !== undefined) {
    const differs = mistakes.map(({ line, signed }) => ({
      line: lineNames[line],
      signed,
      expected: lines[line],
    }));
    return {
      message: mistakes
        .map(
          ({ line, signed, why }) =>
            `${lineNames[line]} of the canonical string differs: ${why}. You signed ${JSON.stringify(signed)}, the service has ${JSON.stringify(lines[line])}.`,
        )
        .join(' '),
      details: { canonical_string, differs },
    };
  }
  const whole = wrongWhole(facts, canonical_string, isSigned);
  return {
    message:
      whole ??
      `The signature is of another string or with another secret. The service computed ${JSON.stringify(canonical_string)}; compare line by line. Where every line is the same, the secret differs.`,
    details: { canonical_string },
  };
}

function findMistakes(
  facts: Case,
  isSigned: (text: string) => boolean,
): readonly Mistake[] | undefined {
  const { lines } = facts;
  const known = distinct(mistakesIn(facts.request, lines)).filter(
    ({ line, signed }) => signed !== lines[line],
  );
  for (const mistake of known) {
    if (isSigned(joinLines({ ...lines, [mistake.line]: mistake.signed }))) return [mistake];
  }
  // Pairs cost the square: only of what is written by hand, which times and nonces are not.
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

/** Of mistakes that come to the same line, the first, whose reason is the likeliest. */
function distinct(mistakes: readonly Mistake[]): Mistake[] {
  const first = new Map<string, Mistake>();
  for (const mistake of mistakes) {
    const name = `${mistake.line} ${mistake.signed}`;
    if (!first.has(name)) first.set(name, mistake);
  }
  return [...first.values()];
}

/** Mistakes that are not in one line: the joining, or the secret. */
function wrongWhole(
  { lines, credential, credentials }: Case,
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
  const wrongKeys: readonly (readonly [BinaryLike, string])[] = [
    [keyId, 'the key id was used as the secret'],
    [`${secret}\n`, 'the secret has a newline at its end'],
    [` ${secret}`, 'the secret has a space before it'],
    [`${secret} `, 'the secret has a space after it'],
    [`"${secret}"`, 'the secret has quotes around it'],
    [secret.trim(), 'white space around the secret was removed'],
    [Buffer.from(secret, 'hex'), 'the secret is text (UTF-8); it was decoded as hex'],
    [Buffer.from(secret, 'base64'), 'the secret is text (UTF-8); it was decoded as base64'],
    [Buffer.from(secret, 'latin1'), 'the secret is UTF-8; it was encoded as Latin-1'],
    [sha256Hex(secret), 'the secret itself is the key; its SHA-256 was used'],
  ];
  const wrong = wrongKeys.find(([key]) => isSigned(canonical, key));
  return wrong === undefined ? undefined : `The canonical string is right, but ${wrong[1]}.`;
}

/** The digest in a signature header of any spelling, as lowercase hex. */
function hexIn(signature: string): string | undefined {
  const bare = signature.trim().replace(/^(?:v\d+|sha256)=/i, '');
  if (/^[0-9a-f]{64}$/i.test(bare)) return bare.toLowerCase();
  if (/^[0-9a-z+/_-]{43}=?$/i.test(bare)) return Buffer.from(bare, 'base64').toString('hex');
  return undefined;
}

function shapeOf(signature: string): string {
  if (!signature.startsWith('v1=')) return 'the prefix v1= is missing';
  const digest = signature.slice('v1='.length);
  if (/^[0-9a-fA-F]{64}$/.test(digest)) return 'the hex is not all lowercase';
  if (/^[0-9a-z+/_-]{43}=?$/i.test(digest)) return 'this is base64';
  return `this has ${digest.length} characters after the prefix`;
}
