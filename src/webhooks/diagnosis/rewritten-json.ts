/** One JSON text as different serialisers write it. */

/** White space as a serialiser puts it between the tokens. */
interface Layout {
  readonly colon: string;
  readonly comma: string;
  /** One level of indentation, each member on a line of its own; absent: all on one line. */
  readonly indent?: string;
}

const LAYOUTS: readonly Layout[] = [
  { colon: ':', comma: ',' },
  { colon: ': ', comma: ', ' },
  { colon: ': ', comma: ',', indent: '  ' },
  { colon: ': ', comma: ',', indent: '    ' },
  { colon: ': ', comma: ',', indent: '\t' },
];

const escapeSlashes = (text: string) => text.replaceAll('/', '\\/');
const escapeNonAscii = (text: string) => text.replace(/[\u0080-\uffff]/g, unicodeEscape);

/** How serialisers spell a string, from the spelling of `JSON.stringify`. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  escapeNonAscii,
  (text) => escapeNonAscii(escapeSlashes(text)),
  escapeSlashes,
  (text) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape),
];

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/**
 * The text in every layout and spelling that is common, itself left out. Numbers and the order of
 * members stay as they are: nobody can tell what they were before they were rewritten.
 */
export function rewrittenJson(text: string): string[] {
  try {
    JSON.parse(text);
  } catch {
    return [];
  }
  const tokens = text.match(TOKEN) ?? [];
  const texts = new Set<string>();
  for (const spell of SPELLINGS) {
    const spelt = tokens.map((token) =>
      token.startsWith('"') ? spell(JSON.stringify(JSON.parse(token))) : token,
    );
    for (const layout of LAYOUTS) texts.add(laidOut(spelt, layout));
  }
  texts.delete(text);
  return [...texts];
}

function laidOut(tokens: readonly string[], { colon, comma, indent }: Layout): string {
  let depth = 0;
  let text = '';
  const newline = () => (indent === undefined ? '' : `\n${indent.repeat(depth)}`);
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token === '{' || token === '[') {
      depth += 1;
      // Every serialiser writes what is empty without a line of its own.
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
  });
  return text;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
