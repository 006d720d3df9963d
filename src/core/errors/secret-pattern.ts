/** secretPattern: finds secrets in text as they are, in JSON, in a URL, and as hex or base64. */

const patterns = new WeakMap<readonly string[], RegExp>();

/** A pattern of all the secrets; `undefined` if there is none. Kept for the list: it must not change. */
export function secretPattern(secrets: readonly string[]): RegExp | undefined {
  const present = secrets.filter((secret) => secret !== '');
  if (present.length === 0) return undefined;
  const known = patterns.get(secrets);
  if (known !== undefined) return known;
  const pattern = new RegExp(present.flatMap(spellings).join('|'), 'g');
  patterns.set(secrets, pattern);
  return pattern;
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [
    // Encoders of URLs differ in the characters that they leave as they are.
    Array.from(secret, (character) => `(?:${inUrl(character)}|${literal(character)})`).join(''),
    literal(JSON.stringify(secret).slice(1, -1)),
    anyCase(bytes.toString('hex')),
    literal(base64),
    literal(base64.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function inUrl(character: string): string {
  const percent = anyCase(Buffer.from(character, 'utf8').toString('hex').replace(/../g, '%$&'));
  return character === ' ' ? `${percent}|\\+` : percent;
}

/** Hex digits in either case. */
function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
