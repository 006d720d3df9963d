/** createWriter: how every command prints, in the width and the colors of its terminal. */

import { styleText } from 'node:util';
import { Help } from 'commander';
import { printable, printableLines, type Terminal, type Tone, type Writer } from './terminal.js';

/** The words that are a state, some of them statuses of HTTP. */
const states: readonly (readonly [tone: Tone, word: RegExp])[] = [
  ['good', /^(ok|held|holds|accepted|delivered|recorded|transferred|completed|active|2\d\d)$/],
  ['warn', /^(warning|missing|skipped|open|differs|3\d\d)$/],
  ['bad', /^(FAILED|failed|not exercised|denied|cancelled|refunded|reset|[45]\d\d)$/],
];

const colors = {
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  plain: undefined,
  text: undefined,
} as const;

const quietMs = 10_000;

export function createWriter(terminal: Terminal): Writer {
  const { columns, isInteractive = false } = terminal;
  const isColored = hasColors(terminal);
  let isReplaceable = false;
  let writtenAt = performance.now();
  const write = (to: 'out' | 'err', text: string) => {
    if (isReplaceable) terminal.err('\r\u001b[K');
    isReplaceable = false;
    writtenAt = performance.now();
    terminal[to](text);
  };
  return {
    // No server may write escape sequences to the terminal.
    out: (text) => write('out', printableLines(text)),
    err: (text) => write('err', printableLines(text)),
    row(text, { tone: given, indent = 2, to = 'out' } = {}) {
      const line = printable(text);
      const { tone, word, at } = stateOf(line, given);
      const fit = tone === 'good' || tone === 'plain' ? shorten : wrap;
      const shown = columns === undefined ? line : fit(line, columns, indent);
      const color = colors[tone];
      const end = at + word.length;
      const painted =
        isColored && color !== undefined
          ? styleText(color, shown.slice(at, end), { validateStream: false })
          : shown.slice(at, end);
      write(to, `${shown.slice(0, at)}${painted}${shown.slice(end)}\n`);
    },
    progress(text) {
      if (isInteractive) {
        write('err', shorten(printable(text), (columns ?? 80) - 1));
        isReplaceable = true;
      } else if (performance.now() - writtenAt >= quietMs) write('err', `${printable(text)}\n`);
    },
  };
}

/** https://no-color.org; FORCE_COLOR as Node reads it. */
function hasColors({ env = {}, columns }: Terminal): boolean {
  const { NO_COLOR: off = '', FORCE_COLOR: on = '', TERM: kind } = env;
  if (off !== '' || /^(0|false)$/.test(on)) return false;
  return on !== '' || (columns !== undefined && kind !== 'dumb');
}

function stateOf(line: string, given: Tone | undefined) {
  for (const { 0: word, index: at } of line.matchAll(/not exercised|[^\s:,]+/g)) {
    const tone = given ?? states.find(([, state]) => state.test(word))?.[0];
    if (tone !== undefined) return { tone, word, at };
  }
  return { tone: 'plain', word: '', at: 0 } as const;
}

/** The words that have room, and an ellipsis: half a hash is no hash. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf(' ', most - 2);
  return `${text.slice(0, end > 0 ? end : most - 2).trimEnd()} …`;
}

/** Between words, too. */
function wrap(line: string, columns: number, indent: number): string {
  const text = new Help().boxWrap(line.slice(indent), columns - indent);
  return line.slice(0, indent) + text.replaceAll('\n', `\n${' '.repeat(indent)}`);
}
