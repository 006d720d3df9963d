/** Removes secrets and signatures from what an error, a log line or a span shows. */

import { secretPattern } from './secret-pattern.js';

const redacted = '[redacted]';

/** Deeper JSON is cut: printing it would overflow the reader's stack. */
const maxDepth = 100;

const signatureLength = 64;

/** A signature may be part of a longer run of hex digits: in a URL it can follow the D of `v1%3D`. */
const signature = /[0-9a-f]{64,}/gi;

/** Text without signatures and without the secrets, as they are, in JSON or a URL, in hex or base64. */
export function redact(text: string, secrets: readonly string[] = []): string {
  // No spelling of a secret is shorter than the secret.
  const isShort = (secret: string) => text.length < secret.length;
  if (text.length < signatureLength && secrets.every(isShort)) return text;
  const safe = text.replace(signature, (hex, at: number) =>
    hex.length === signatureLength && isBodyHash(text, at) ? hex : redacted,
  );
  const pattern = secretPattern(secrets);
  return pattern === undefined ? safe : safe.replace(pattern, redacted);
}

/** Longer than the first five lines of any canonical string that a human compares by eye. */
const maxLinesLength = 4_096;

/**
 * Whether the hex at a place is the sixth line of a canonical string: the SHA-256 of the body. It is
 * not a secret, and an operator who compares the lines needs all six. Line breaks may be escaped.
 */
function isBodyHash(text: string, at: number): boolean {
  const before = text.slice(Math.max(at - maxLinesLength, 0), at);
  return /[A-Z]{3,7}(\n|\\n)\/[^\n\\]*\1[^\n\\]*\1\d{1,15}\1[^\n\\]{1,200}\1$/.test(before);
}

export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[] = [],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [redact(name, secrets), redact(value, secrets)]),
  );
}

/** A copy of parsed JSON whose strings are redacted, names of members included. */
export function redactJson(value: unknown, secrets: readonly string[] = []): unknown {
  return copyRedacted(value, { secrets, charactersLeft: Infinity }, 0);
}

const excerptLength = 2_000;
/** Redacting shortens a text: of this many characters, enough remain for an excerpt. */
const copiedLength = 8 * excerptLength;

/** The beginning of a text, redacted. */
export function excerptOfText(text: string, secrets: readonly string[]): string {
  const safe = redact(text.slice(0, copiedLength), secrets);
  return safe.length > excerptLength ? `${safe.slice(0, excerptLength)}…` : safe;
}

/**
 * Parsed JSON, redacted; of a long body, only the beginning of its text. It copies little more than it
 * returns, because the body of a success may have 32 MB.
 */
export function excerptOfJson(body: unknown, secrets: readonly string[]): unknown {
  if (body === undefined) return undefined;
  const copy = copyRedacted(body, { secrets, charactersLeft: copiedLength }, 0);
  const text = typeof copy === 'string' ? copy : JSON.stringify(copy);
  return text.length <= excerptLength + 1 ? copy : text.slice(0, excerptLength);
}

interface CopyContext {
  readonly secrets: readonly string[];
  /** Values that come after this many characters are left out. */
  charactersLeft: number;
}

function copyRedacted(value: unknown, context: CopyContext, depth: number): unknown {
  context.charactersLeft -= 1;
  if (typeof value === 'string') return copyText(value, context);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[nested too deep]';
  if (Array.isArray(value)) return copyArray(value, context, depth);
  // Defined, not assigned: a member "__proto__" must stay a member.
  const copy = {};
  for (const name of Object.keys(value)) {
    if (context.charactersLeft <= 0) break;
    Object.defineProperty(copy, copyText(name, context), {
      value: copyRedacted((value as Record<string, unknown>)[name], context, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

function copyArray(values: readonly unknown[], context: CopyContext, depth: number): unknown[] {
  const copy: unknown[] = [];
  for (const value of values) {
    if (context.charactersLeft <= 0) break;
    copy.push(copyRedacted(value, context, depth + 1));
  }
  return copy;
}

function copyText(text: string, context: CopyContext): string {
  const isBounded = context.charactersLeft !== Infinity;
  const shown = isBounded ? text.slice(0, copiedLength) : text;
  context.charactersLeft -= shown.length;
  return redact(shown, context.secrets);
}
