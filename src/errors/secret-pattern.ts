/** secretPattern: finds secrets in text, however the text writes their characters. */

const patterns = new WeakMap<readonly string[], RegExp>();

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '/': '\\/',
  '\\': '\\\\',
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A pattern of all the secrets; `undefined` if there is none. Kept for the list: it must not change. */
export function secretPattern(secrets: readonly string[]): RegExp | undefined {
  const present = secrets.filter((secret) => secret !== '');
  if (present.length === 0) return undefined;
  const known = patterns.get(secrets);
  if (known !== undefined) return known;
  const pattern = new RegExp(present.flatMap(writings).join('|'), 'g');
  patterns.set(secrets, pattern);
  return pattern;
}

/** The patterns of a secret: its characters in any mixture of escapes, or its bytes in hex or base64. */
function writings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [
    Array.from(secret, characterPattern).join(''),
    anyCase(bytes.toString('hex')),
    escapeRegExp(base64),
    escapeRegExp(base64.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function characterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hexOfUnits = character
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const hexOfBytes = Buffer.from(character, 'utf8').toString('hex');
  const writtenAs = [
    anyCase(hexOfBytes.replace(/../g, '%$&')),
    hexOfUnits.map((hex) => `\\\\u${anyCase(hex)}`).join(''),
    `&#(?:${code}|[xX]0*${anyCase(code.toString(16))});`,
    ...[shortEscapes[character], entities[character]]
      .filter((text) => text !== undefined)
      .map(escapeRegExp),
    escapeRegExp(character),
    ...(character === ' ' ? ['\\+'] : []),
  ];
  return `(?:${writtenAs.join('|')})`;
}

/** Hex digits in either case. */
function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
