/** rewrittenJson: one JSON text as different serializers write it. */

import { parseJson } from '../json.js';

/** What serializers escape in a string beyond `JSON.stringify`, and whether in upper-case hexadecimal. */
const escapes: readonly (readonly [characters: RegExp, isUpperCase: boolean])[] = [
  [/[]/g, false],
  // Python, PHP without and with its slashes, and its JSON_UNESCAPED_UNICODE.
  [/[\u0080-\uffff]/g, false],
  [/[/\u0080-\uffff]/g, false],
  [/\//g, false],
  // Go and Rails; Gson.
  [/[<>&\u2028\u2029]/g, false],
  [/[<>&='\u2028\u2029]/g, false],
  // Jackson with ESCAPE_NON_ASCII; System.Text.Json of .NET.
  [/[\u0080-\uffff]/g, true],
  [/\\[\\"]|\\u[0-9a-f]{4}|[&'+<>`\u007f-\uffff]/g, true],
];

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|\[\]|\{\}|[[\]{}:,]/g;

/** Events are a few levels deep. Indentation grows with the square of the depth. */
const maxDepth = 32;

/** No layout makes an event this large. */
const maxTextLength = 1024 * 1024;

/**
 * The text in every common layout and escape style, except the text itself. Numbers and the order of
 * members are unchanged: what they were before cannot be known. Yields nothing for text that is not
 * JSON, or that is nested deeper than any event.
 */
export function* rewrittenJson(text: string): Generator<string> {
  if (parseJson(text) === undefined || isDeep(text)) return;
  const seen = new Set([text]);
  for (const [characters, isUpperCase] of escapes) {
    const escape = (char: string) => escaped(char, isUpperCase);
    const compact = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (each) =>
      each.startsWith('"')
        ? `"${JSON.stringify(JSON.parse(each)).slice(1, -1).replace(characters, escape)}"`
        : '',
    );
    const spaced = compact.replace(token, (each) => (/^[:,]$/.test(each) ? `${each} ` : each));
    for (const layout of [
      compact,
      spaced,
      ...['  ', '    ', '\t'].map((by) => indented(compact, by)),
    ]) {
      if (layout.length > maxTextLength || seen.has(layout)) continue;
      seen.add(layout);
      yield layout;
    }
  }
}

function escaped(char: string, isUpperCase: boolean): string {
  if (char === '/') return '\\/';
  if (char === '\\\\') return char;
  // A control character was escaped before, and a quotation mark has its backslash.
  const code = char.startsWith('\\u')
    ? parseInt(char.slice(2), 16)
    : char.charCodeAt(char.length - 1);
  const hex = code.toString(16).padStart(4, '0');
  return `\\u${isUpperCase ? hex.toUpperCase() : hex}`;
}

function indented(compact: string, indent: string): string {
  let depth = 0;
  const newline = () => `\n${indent.repeat(depth)}`;
  return compact.replace(token, (each) => {
    if (each === '{' || each === '[') depth += 1;
    if (each === '}' || each === ']') depth -= 1;
    if (each === '}' || each === ']') return newline() + each;
    if (each === '{' || each === '[' || each === ',') return each + newline();
    return each === ':' ? ': ' : each;
  });
}

/** By brackets, those inside strings included: no event has so many of one kind. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > maxDepth) return true;
  }
  return false;
}
