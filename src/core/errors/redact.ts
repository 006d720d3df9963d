/** Removes secrets and signatures from what an error, a log line or a span shows. */

const redacted = '[redacted]';

/** Deeper JSON is cut: printing it would overflow the reader's stack. */
const maxDepth = 100;

const excerptLength = 2_000;

/** A signature may be part of a longer run of hex digits: in a URL it can follow the D of `v1%3D`. */
const signature = /[0-9a-f]{64,}/gi;

const patterns = new WeakMap<readonly string[], RegExp>();

/** Text without signatures and without the secrets, as they are, in JSON or in a URL. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const safe = text.replace(signature, redacted);
  // No spelling of a secret is shorter than the secret; a pattern of a megabyte is slow to make.
  if (secrets.every((secret) => text.length < secret.length)) return safe;
  const pattern = secretPattern(secrets);
  return pattern === undefined ? safe : safe.replace(pattern, redacted);
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
export function redactJson(value: unknown, secrets: readonly string[] = [], depth = 0): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[nested too deep]';
  const copyOf = (member: unknown) => redactJson(member, secrets, depth + 1);
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name, secrets), copyOf(member)]),
  );
}

/** The beginning of a text, redacted. */
export function excerptOfText(text: string, secrets: readonly string[]): string {
  // Redacting shortens a text: of this many characters, enough remain.
  const safe = redact(text.slice(0, 8 * excerptLength), secrets);
  return safe.length > excerptLength ? `${safe.slice(0, excerptLength)}…` : safe;
}

/** Parsed JSON, redacted; of a long body, only the beginning of its text. */
export function excerptOfJson(body: unknown, secrets: readonly string[]): unknown {
  if (body === undefined) return undefined;
  const copy = redactJson(body, secrets);
  const text = typeof copy === 'string' ? copy : JSON.stringify(copy);
  return text.length <= excerptLength ? copy : text.slice(0, excerptLength);
}

/** A pattern of all the secrets; `undefined` if there is none. Kept for the list: it must not change. */
function secretPattern(secrets: readonly string[]): RegExp | undefined {
  const present = secrets.filter((secret) => secret !== '');
  if (present.length === 0) return undefined;
  const known = patterns.get(secrets);
  if (known !== undefined) return known;
  const spellings = present.flatMap((secret) => [
    // Encoders of URLs differ in the characters that they leave as they are.
    Array.from(secret, (character) => `(?:${inUrl(character)}|${literal(character)})`).join(''),
    literal(JSON.stringify(secret).slice(1, -1)),
  ]);
  const pattern = new RegExp(spellings.join('|'), 'g');
  patterns.set(secrets, pattern);
  return pattern;
}

function inUrl(character: string): string {
  const hex = Buffer.from(character, 'utf8').toString('hex').replace(/../g, '%$&');
  const percent = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return character === ' ' ? `${percent}|\\+` : percent;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
