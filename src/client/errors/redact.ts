/** Removes secrets and signatures from what an error shows. It runs when an error is built. */

const redacted = '[redacted]';

/** JSON that is nested deeper is cut: printing it would exhaust the stack of the reader. */
const maxDepth = 100;

/** The text without signatures, and without the secrets, also where JSON or a URL spells them. */
export function redact(text: string, secrets: readonly string[] = []): string {
  // A service may repeat the signature, or the one that it expected, as bare hex.
  let safe = text.replace(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi, (hex, at: number) =>
    isBodyHash(text, at) ? hex : redacted,
  );
  for (const secret of secrets) {
    for (const form of spellings(secret)) safe = safe.replaceAll(form, redacted);
  }
  return safe;
}

/** Longer than the first five lines of any canonical string that somebody compares by eye. */
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
    Object.entries(headers).map(([name, value]) => [name, redact(value, secrets)]),
  );
}

/** A copy of parsed JSON whose strings are redacted, names of members included. */
export function redactJson(value: unknown, secrets: readonly string[] = [], depth = 0): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((item) => redactJson(item, secrets, depth + 1));
  // Defined, not assigned: a member "__proto__" must stay a member.
  const copy = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(copy, redact(name, secrets), {
      value: redactJson(member, secrets, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

function spellings(secret: string): string[] {
  if (secret === '') return [];
  const inJson = JSON.stringify(secret).slice(1, -1);
  // A lone surrogate has no spelling in a URL.
  return secret.isWellFormed() ? [secret, inJson, encodeURIComponent(secret)] : [secret, inJson];
}
