/** One JSON text as different serializers write it. */

import { parseJson } from '../../core/json.js';

/** The white space that a serializer puts between the tokens. */
interface Layout {
  readonly colon: string;
  readonly comma: string;
  /** One level of indentation, each member on its own line; absent: everything on one line. */
  readonly indent?: string;
}

const layouts: readonly Layout[] = [
  { colon: ':', comma: ',' },
  { colon: ': ', comma: ', ' },
  { colon: ': ', comma: ',', indent: '  ' },
  { colon: ': ', comma: ',', indent: '    ' },
  { colon: ': ', comma: ',', indent: '\t' },
];

const escapeSlashes = (text: string) => text.replaceAll('/', '\\/');
const escapeNonAscii = (text: string) => text.replace(/[\u0080-\uffff]/g, unicodeEscape);

/** How serializers escape a string, starting from the output of `JSON.stringify`. */
const escapeStyles: readonly ((text: string) => string)[] = [
  (text) => text,
  escapeNonAscii,
  (text) => escapeNonAscii(escapeSlashes(text)),
  escapeSlashes,
  (text) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape),
];

const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

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
  if (parseJson(text) === undefined) return;
  const tokens = text.match(tokenPattern) ?? [];
  if (depthOf(tokens) > maxDepth) return;
  const seen = new Set([text]);
  for (const escape of escapeStyles) {
    const escaped = tokens.map((token) =>
      token.startsWith('"') ? escape(JSON.stringify(JSON.parse(token))) : token,
    );
    for (const layout of layouts) {
      const rewritten = format(escaped, layout);
      if (rewritten === undefined || seen.has(rewritten)) continue;
      seen.add(rewritten);
      yield rewritten;
    }
  }
}

function depthOf(tokens: readonly string[]): number {
  let depth = 0;
  let deepest = 0;
  for (const token of tokens) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** Undefined if the layout makes the text too large. */
function format(tokens: readonly string[], { colon, comma, indent }: Layout): string | undefined {
  let depth = 0;
  let text = '';
  const newline = () => (indent === undefined ? '' : `\n${indent.repeat(depth)}`);
  for (const [at, token] of tokens.entries()) {
    if (text.length > maxTextLength) return undefined;
    const next = tokens[at + 1];
    if (token === '{' || token === '[') {
      depth += 1;
      // Serializers write an empty list or object without a line break.
      text += next === '}' || next === ']' ? token : token + newline();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      const before = tokens[at - 1];
      text += before === '{' || before === '[' ? token : newline() + token;
    } else if (token === ',') {
      text += comma + newline();
    } else {
      text += token === ':' ? colon : token;
    }
  }
  return text;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
